// SPDX-License-Identifier: Apache-2.0
//! Stacks of Rust: threads, closures, trait objects, recursion, and panics that are caught.
use std::collections::HashMap;
use std::time::{Duration, Instant};

#[inline(never)]
fn fold(words: &[String], map: &mut HashMap<String, usize>) -> usize {
    words.iter().map(|w| { *map.entry(w.clone()).or_insert(0) += 1; w.len() }).sum()
}

#[inline(never)]
fn deep(n: u32, words: &mut Vec<String>) -> usize {
    if n == 0 {
        let mut map = HashMap::new();
        words.sort_by(|a, b| b.cmp(a));
        return fold(words, &mut map);
    }
    deep(n - 1, words) + n as usize
}

trait Shape { fn area(&self) -> f64; }
struct Square(f64);
struct Circle(f64);
impl Shape for Square { fn area(&self) -> f64 { (0..200).map(|i| self.0 * i as f64).sum() } }
impl Shape for Circle { fn area(&self) -> f64 { (0..200).map(|i| (self.0 + i as f64).sin()).sum() } }

#[inline(never)]
fn shapes(all: &[Box<dyn Shape>]) -> f64 { all.iter().map(|s| s.area()).sum() }

#[inline(never)]
fn panics(n: usize) -> usize {
    std::panic::catch_unwind(|| { if n % 2 == 0 { panic!("even"); } n }).unwrap_or(0)
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0.5);
    std::panic::set_hook(Box::new(|_| {}));
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let threads: Vec<_> = (0..2).map(|t| std::thread::spawn(move || {
        let mut sum = 0.0;
        let all: Vec<Box<dyn Shape>> = (0..50).map(|i| if i % 2 == 0 { Box::new(Square(i as f64)) as Box<dyn Shape> } else { Box::new(Circle(i as f64)) }).collect();
        let mut n = t;
        while Instant::now() < end {
            let mut words: Vec<String> = (0..300).map(|i| format!("{}-{}", i * 7919 % 311, n)).collect();
            sum += deep(12, &mut words) as f64 + shapes(&all) + panics(n) as f64;
            n += 1;
        }
        sum
    })).collect();
    let total: f64 = threads.into_iter().map(|t| t.join().unwrap()).sum();
    println!("{}", total);
}
