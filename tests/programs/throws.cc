// SPDX-License-Identifier: Apache-2.0
// Throws and catches, virtual calls, destructors that work while the stack is unwound: throws SECONDS.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define APART __attribute__((noinline, noclone))

static volatile uint64_t sink;

APART uint64_t busy(uint64_t n)
{
	uint64_t x = n | 1;

	for (int i = 0; i < 20000; i++)
		x = x * 6364136223846793005u + (x >> 33);
	sink += x;
	return x;
}

struct Guard {
	uint64_t n;

	explicit Guard(uint64_t value) : n(value) { }
	APART ~Guard() { busy(n); }
};

struct Shape {
	virtual ~Shape() = default;
	virtual uint64_t area(uint64_t n) const = 0;
};

struct Circle : Shape {
	APART uint64_t area(uint64_t n) const override
	{
		Guard guard(n);

		if (n % 3 == 0)
			throw std::runtime_error("a multiple of three " + std::to_string(n));
		return busy(n) + 1;
	}
};

struct Square : Shape {
	APART uint64_t area(uint64_t n) const override
	{
		std::vector<uint64_t> rooms(n % 200 + 1, n);

		return busy(rooms[n % rooms.size()]) + 2;
	}
};

template <typename T> APART uint64_t measure(const T &shapes, uint64_t n)
{
	uint64_t total = 0;

	for (const auto &shape : shapes) {
		try {
			total += shape->area(n);
		} catch (const std::exception &error) {
			total += busy(std::string(error.what()).size());
		}
	}
	return total;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	auto started = std::chrono::steady_clock::now();
	std::vector<std::unique_ptr<Shape>> shapes;

	shapes.emplace_back(new Circle);
	shapes.emplace_back(new Square);
	for (uint64_t n = 0; std::chrono::duration<double>(std::chrono::steady_clock::now() - started)
				     .count() < seconds;
	     n++)
		sink += measure(shapes, n);
	return sink == 42;
}
