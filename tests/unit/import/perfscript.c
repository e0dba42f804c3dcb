// SPDX-License-Identifier: Apache-2.0
#include "import/fold.h"
#include "import/input.h"
#include "import/perfscript_line.h"
#include "profile/index.h"
#include "test.h"

#include <sys/mman.h>
#include <unistd.h>

static void expect_piece(struct piece piece, const char *want)
{
	char *got = mem_strndup(piece.at, piece_length(piece));

	EXPECT_TEXT(got, want);
	free(got);
}

TEST(perfscript_heads)
{
	static const struct {
		const char *line, *comm, *event;
		uint32_t pid, tid, cpu;
		uint64_t time, period;
	} cases[] = {
		{ "java 25607 4794564.109216: 1 cycles:", "java", "cycles", 25607, 25607, 0,
		  4794564109216000, 1 },
		{ "V8 WorkerThread 24636/25607 [003] 94.5: 100 cycles:u: ", "V8 WorkerThread",
		  "cycles:u", 24636, 25607, 3, 94500000000, 100 },
		{ "\t\tperf  1358 [003]   627.875141: probe:do_sys_openat2: (ffffffffa239b4a0)",
		  "perf", "probe:do_sys_openat2", 1358, 1358, 3, 627875141000, 1 },
		{ "node-v011 31912 cpu-clock: ", "node-v011", "cpu-clock", 31912, 31912, 0, 0, 1 },
		{ "1161248/1161248 443929.906694292:      93337  cycles:u: ", "", "cycles:u",
		  1161248, 1161248, 0, 443929906694292, 93337 },
		{ "kworker/0:1 12 [000] 1.000001: 7 cpu/cycles/u:", "kworker/0:1", "cpu/cycles/u",
		  12, 12, 0, 1000001000, 7 },
		{ ":-1    -1 [000]  6.5:  3 x:", ":-1", "x", UINT32_MAX, UINT32_MAX, 0, 6500000000,
		  3 },
		{ "m 22844/-1 [000]  6.5:  3 x:", "m", "x", 22844, UINT32_MAX, 0, 6500000000, 3 },
		{ "a 3 b 5 1.5: 0 x:", "a 3 b", "x", 5, 5, 0, 1500000000, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *line = cases[i].line;
		struct script_head head;

		test_case("%s", line);
		EXPECT(script_head_parse(line, line + strlen(line), &head));
		expect_piece(head.comm, cases[i].comm);
		expect_piece(head.event, cases[i].event);
		EXPECT_INT(head.pid, cases[i].pid);
		EXPECT_INT(head.tid, cases[i].tid);
		EXPECT_INT(head.cpu, cases[i].cpu);
		EXPECT_INT(head.time_ns, cases[i].time);
		EXPECT_INT(head.period, cases[i].period);
	}
}

TEST(perfscript_no_heads)
{
	static const char *const lines[] = { "",
					     " ",
					     ":",
					     "word",
					     "12",
					     "1.5",
					     "a b c",
					     "a 99999999999: x",
					     "  7f12 f (/bin/prog)",
					     "1.5.5: x:" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct script_head head;

		test_case("%s", lines[i]);
		EXPECT(!script_head_parse(lines[i], lines[i] + strlen(lines[i]), &head));
	}
}

TEST(perfscript_frames)
{
	static const struct {
		const char *line, *name, *object;
		bool inlined;
	} cases[] = {
		{ "  7f5a write+0x17 (/usr/lib/libc.so.6)", "write", "/usr/lib/libc.so.6", false },
		{ "\t b3cea6c4\tLock::unlock() (/system/lib/libc.so)", "Lock::unlock()",
		  "/system/lib/libc.so", false },
		{ " 7f puts+0x159 (inlined)", "puts", "inlined", true },
		{ " 7f std::function<int (int, int)>::operator()(int) const (/a b/c (deleted))",
		  "std::function<int (int, int)>::operator()(int) const", "/a b/c (deleted)",
		  false },
		{ " 7f12 [unknown] ([unknown])", "[unknown]", "[unknown]", false },
		{ " 7f12 f+0x12", "f", "", false },
		{ " 7f12", "", "", false },
		{ " 7f12 (/lib/x.so)", "", "/lib/x.so", false },
		{ " 4005d7 0x4005d7/0x4005e5/P/-/-/8  0x40062f/0x4005b0/P/-/-/6", "", "", false },
		/* brackets that are part of a name, with the object and without */
		{ " 7f12 app::F::operator()", "app::F::operator()", "", false },
		{ " 7f12 app::F::operator()+0x12", "app::F::operator()", "", false },
		{ " 7f12 app::F::operator() (/b)", "app::F::operator()", "/b", false },
		{ " 7f12 run(std::function<int (int)>)", "run(std::function<int (int)>)", "",
		  false },
		{ " 7f12 double Hot.work(int)", "double Hot.work(int)", "", false },
		{ " 7f12 void A.b(int, java.lang.String)", "void A.b(int, java.lang.String)", "",
		  false },
		{ " 7f12 double Hot.work(int) (/tmp/perf-7.map)", "double Hot.work(int)",
		  "/tmp/perf-7.map", false },
		{ " 7f12 StubRoutines (1)", "StubRoutines (1)", "", false },
		{ " 7f12 StubRoutines (final stubs)", "StubRoutines (final stubs)", "", false },
		{ " 7f12 StubRoutines (1) (/tmp/perf-7.map)", "StubRoutines (1)", "/tmp/perf-7.map",
		  false },
		{ " 7f12 JS:*fib /tmp/x/hot.js:1:13", "JS:*fib /tmp/x/hot.js:1:13", "", false },
		{ " 7f12 f (SYSV00000000 (deleted))", "f", "SYSV00000000 (deleted)", false },
		{ " 7f12 f (java)", "f", "java", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *line = cases[i].line;
		struct script_frame frame;

		test_case("%s", line);
		EXPECT(script_frame_parse(line, line + strlen(line), &frame));
		expect_piece(frame.name, cases[i].name);
		expect_piece(frame.object, cases[i].object);
		EXPECT_BOOL(frame.inlined, cases[i].inlined);
	}
}

TEST(perfscript_stacks)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "prog 5/6 1.0: 10 cycles:\n\t7f f+0x1 (/bin/prog)\n\t80 main+0x2 (/bin/prog)\n\n"
		  "prog 5/6 2.0: 5 cycles:\n\t99 f+0x7 (/bin/prog)\n\t80 main+0x2 (/bin/prog)\n",
		  "prog-5/6;main;f 15\n" },
		/* blank lines between frames, as in an old manual */
		{ "swapper 0 [000] 1.5: 3 cpu-clock:\n\n  7fff1 halt ([kernel.kallsyms])\n\n"
		  "  7fff2 idle ([kernel.kallsyms])\n",
		  "swapper-?/0;idle_[k];halt_[k] 3\n" },
		{ " a 1 9.5: 1 cycles:  7fa6 _dl_start+0x4 (/usr/lib/ld.so)\n"
		  " a 1 9.6: 1 cycles:  7fa7 _dl_start+0x8 (/usr/lib/ld.so)\n",
		  "a-?/1;_dl_start 2\n" },
		{ "java 7 1.0: 1 cycles:\r\n\t7f a->b->c (/tmp/perf-7.map)\r\n\r\n",
		  "java-?/7;a_[j];b_[i];c_[i] 1\n" },
		{ "p 7 1.0: 1 cycles:\n\t7f A<B>::operator->() (/bin/p)\n\n",
		  "p-?/7;A<B>::operator->() 1\n" },
		{ "\xef\xbb\xbfp 7 1.0: 1 x:\n\t7f [unknown] (/lib/libc.so)\n\t0 [unknown] "
		  "([unknown])\n",
		  "p-?/7;[unknown];[libc.so] 1\n" },
		{ "\t  4005dc\n\t  400634 f (/b)\n\n\t 4005dd\n\t  400639 f (/b)\n\n",
		  "f;[unknown] 2\n" },
		{ "p 1 1.0: 1 a:\n\t7f f (/b)\n\np 1 1.1: 1 b:\n\t7f g (/b)\n\n",
		  "p-?/1;f 1\np-?/1;g 1\n" },
		/* the address that was accessed stands in front of the frame, alone or with a name
		 */
		{ " a b 1 9.5: 50 branch-misses:       0    4008a0 main+0x4 (/bin/a)\n"
		  " a b 1 9.6: 50 branch-misses:  401000    4008a4 main+0x8 (/bin/a)\n"
		  " a b 1 9.7: 1 page-faults:  7ffd12a0 [unknown] ([stack])    4008a8 main "
		  "(/bin/a)\n"
		  " a b 1 9.8: 50 branch-misses: 0 a8 add+0x4 (/bin/a)\n",
		  "a b-?/1;add 50\na b-?/1;main 100\na b-?/1;main 1\n" },
		/* and above the callers */
		{ "p 1 1.0: 1 page-faults: 7ffd12a0 [unknown] ([stack])\n\t4008a8 f (/b)\n"
		  "\t4008b0 main (/b)\n\n",
		  "p-?/1;main;f 1\n" },
		/* other records between samples, with heads and without */
		{ "p 1 1.0: PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) @ 0 08:01 2 3]: r-xp /b\n"
		  "p 1 1.1: 1 a:\n\t7f f (/b)\n\np 1 1.2: PERF_RECORD_COMM: q:1/1\n"
		  "q 1 1.3: 1 a:\n\t7f f (/b)\n\n",
		  "p-?/1;f 1\nq-?/1;f 1\n" },
		{ "PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) @ 0 08:01 2 3]: r-xp /b\n"
		  "\t 4005dc f (/b)\n\nPERF_RECORD_MMAP2 1/1: [0x5000(0x10) @ 0 08:01 2 3]: r-xp "
		  "/c\n"
		  "\t 4005dd f (/b)\n\n\t 4005de f (/b)\n 0x4005c8/0x4005dc/P/-/-/0\n",
		  "f 3\n" },
		/* branches end samples where no blank line does */
		{ "PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) @ 0 08:01 2 3]: r-xp /b\n"
		  "\t4005dc\n\t400634 f (/b)\n 0x4005c8/0x4005dc/P/-/-/0\n"
		  "\t4005d7\n\t400634 f (/b)\n 0x4005c8/0x4005dc/P/-/-/0\n"
		  "\t4005d9\n\t400634 f (/b)\n 0x4005c8/0x4005dc/P/-/-/0\n",
		  "f;[unknown] 3\n" },
		{ " 4005d7 0x4005d7/0x4005e5/P/-/-/8\n 4005d9 0x4005d7/0x4005e5/P/-/-/8\n",
		  "[unknown] 2\n" },
		/* a tracepoint's own words are no frame */
		{ "p 1 1.0: raw_syscalls:sys_enter: NR 59 (7ffd12a0, 55d0e812, 0)\n"
		  "p 1 1.1: block:block_rq_issue: 8,0 W 4096 () 12345678 + 8 [kworker/0:1]\n"
		  "p 1 1.2: x:y: ret=3 (ok)\n"
		  "p 1 1.3: sched:sched_switch: prev=p (1)  ffffffff81c0ffee __schedule "
		  "([kernel])\n",
		  "p-?/1 1\np-?/1 1\np-?/1 1\np-?/1;__schedule_[k] 1\n" },
		/* frames that lost their blanks */
		{ "java 7 cycles:\nffffffff8103d0ca native_write_msr ([kernel.kallsyms])\n"
		  "7f12a0000000 run (/lib/libjvm.so)\n\n",
		  "java-?/7;run;native_write_msr_[k] 1\n" },
		/* and others, with short addresses, without objects, with 0x */
		{ "java 7 [000] 1.0: cycles:\n4008 Lfoo;::bar (/tmp/perf-7.map)\n7f0 main "
		  "(java)\n\n"
		  "java 7 [000] 1.1: cycles:\n4008 Lfoo;::bar\n7f0 main\n\n"
		  "java 7 [000] 1.2: 5 cycles:\n0x4008 Lfoo;::bar (/tmp/perf-7.map)\n0x7f0 main "
		  "(java)\n"
		  "java 7 [000] 1.3: cycles:\n\t4008 Lfoo;::bar\n7f0 main (java)\n",
		  "java-?/7;main;Lfoo:::bar_[j] 6\njava-?/7;main;Lfoo:::bar 1\n"
		  "java-?/7;main;Lfoo:::bar 1\n" },
		/* what a tracepoint says may end in anything */
		{ "dd  1234 [000] 1.000000: block:block_rq_issue: 8,0 W 4096 () 1234 + 8 [dd]\n",
		  "dd-?/1234 1\n" },
		{ "dd  1234 [000] 1.000000: block:block_rq_issue: 8,0 W 4096 () 1234 + 8 [dd]\n"
		  "a b 12 [001] 1.1: 1 x:y: at file.c:12\n"
		  "a b 12 [001] 1.2: x:y: a => b [fade]\n"
		  "a b 12 [001] 1.3: x:y: ; // nothing\n"
		  "a b 12 [001] 1.4: x:y: 0x12/0x13 (beef)\n"
		  "a b 12 1.5: x:y: (beef) 4096 add\n"
		  "a b 12 x:y: 8,0 R 0 () 7 + 8 [ed]\n",
		  "dd-?/1234 1\na b-?/12 6\n" },
		/* heads without time and event, and samples of one line without them */
		{ "my prog 12\n\t4005dc f (/b)\n\t4005e0 main (/b)\n\ncc1 13\n\t4005dc f (/b)\n\n",
		  "cc1-?/13;f 1\nmy prog-?/12;main;f 1\n" },
		{ "my prog\n\t4005dc f (/b)\n\t4005e0 main (/b)\n\n", "my prog-?/0;main;f 1\n" },
		{ "  my prog 12    4005dc f (/b)\n  my prog 12    4005de f (/b)\n",
		  "my prog-?/12;f 2\n" },
		{ " ed 12 cycles: 4005dc f\n ed 12 cycles: 4005de g\n",
		  "ed-?/12;f 1\ned-?/12;g 1\n" },
		/* nothing but frames and no blank line: a sample a line */
		{ "  4005dc f (/b)\n  4005de g (/b)\n  4005dc f (/b)\n", "f 2\ng 1\n" },
		{ "p 1 1.0: 1 a:\n\t7f f\n\t0 [unknown]\n\n", "p-?/1;[unknown];f 1\n" },
		{ "p 1 1.0: 1 a:\n\t7f f (/b)\n  x.c:12 (inlined)\n  libc.so.6[1f2]\n"
		  "\t80 g (/b+0x12)\n\n",
		  "p-?/1;g;f 1\n" },
		/* columns behind a frame, with its object and without */
		{ "p 1 9.1: 1 a:  4008a0 f+0x4 (/b)               0\n"
		  "p 1 9.2: 1 a:  4008a0 f+0x4 (/b)       4b58ceea0 N/A 4K\n"
		  "p 1 9.3: 1 a:  4008a0 f+0x4 (/b) ABI:2    AX:0x7f3    R10:0x0\n"
		  "p 1 9.4: 1 a:  4008a0 f+0x4 (/b) ilen: 3 insn: 48 8b 02    0 4K\n"
		  "p 1 9.5: 1 a:  4008a0 f+0x4 (/b) 0x4005c8/0x4005dc/P/-/-/0 \t IPC: 0.50 (3/6)\n"
		  "p 1 9.6: 1 a:  4008a0 f               0 2M\n"
		  "p 1 9.7: 1 a:  7ffd12a0 [unknown]     4008a0 f<int>\n"
		  "p 1 9.8: 1 a:  7ffd12a0 [unknown]  1e05080021 |OP N/A|LVL N/A  0  0   4008a0 "
		  "f<int> ABI:2 "
		  "AX:0x1\n",
		  "p-?/1;f 5\np-?/1;f 1\np-?/1;f<int> 2\n" },
		/* and below a chain, which begins with tabs; in place of the blank line */
		{ "p 1 9.1: 1 a:\n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n       4b58ceea0 N/A "
		  "4K\n"
		  "p 1 9.2: 1 a:\n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n               0\n"
		  "p 1 9.3: 1 a:\n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n ABI:2    AX:0x7f3  "
		  "ilen: 4\n",
		  "p-?/1;main;f 3\n" },
		{ "\t  4008a0 f (/b)\n 4K\n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n 4K\n",
		  "f 1\nmain;f 1\n" },
		/* whose code it was, and the date, in front of the time or without one */
		{ "p 1 [000] U     2026-11-16 22:38:52.319914 9.1: 4 a:\n\t  4008a0 f (/b)\n\n"
		  "p 1 K    9.1: 4 a:\n\t  4008a0 f (/b)\n\n"
		  "p 1 U    2026-11-16 22:38:52.319914  4 a:\n\t  4008a0 f (/b)\n\n",
		  "p-?/1;f 12\n" },
		/* a thread, not the address of a frame */
		{ "  prog 12 cycles:   4005dc f (/b)\n", "prog-?/12;f 1\n" },
		{ "  prog 12    4005dc f (/b)    0\n", "prog-?/12;f 1\n" },
		/* names without objects that end like a line of source, or in brackets */
		{ "node 7 1.5: cpu-clock: \n\t    7f12a0b0c0d0 JS:*fib /tmp/x/hot.js:1:13\n"
		  "\t    7f12a0b0c0e0 JS:~ node:internal/main:2:1\n  hot.js:12\n"
		  "\t          e4ed main\n\n",
		  "node-?/7;main;JS:~ node:internal/main:2:1;JS:*fib /tmp/x/hot.js:1:13 1\n" },
		{ "node 7 1.5: cpu-clock:     7f12a0b0c0d0 JS:*fib /tmp/x/hot.js:1:13\n",
		  "node-?/7;JS:*fib /tmp/x/hot.js:1:13 1\n" },
		{ "tp \n\t    55d0e8b0c0d0 app::F::operator()\n\t    55d0e8b0c0e0 main\n\n",
		  "tp-?/0;main;app::F::operator() 1\n" },
		{ "tp 7 1.5: cpu-clock: \n\t    55d0e8b0c0d0 app::F::operator()\n"
		  "\t    55d0e8b0c0e0 main\n\n",
		  "tp-?/7;main;app::F::operator() 1\n" },
		{ "tp 7 1.5: cpu-clock:     55d0e8b0c0d0 app::F::operator()\n",
		  "tp-?/7;app::F::operator() 1\n" },
		{ "java 71 1.5: cpu-clock: \n\t    7f77c0938cc9 StubRoutines (1)\n"
		  "\t    7f77c0938cd0 double Hot.work(int)\n\n",
		  "java-?/71;double Hot.work(int);StubRoutines (1) 1\n" },
		/* whose code it was right behind the name, which may end in such a letter */
		{ "my prog K      2636.920597: cpu-clock: \n\t  4008a0 f (/b)\n\n"
		  "my prog U     12636.920597: cpu-clock: \n\t  4008a0 f (/b)\n\n"
		  "my U 2636.920597: cpu-clock: \n\t  4008a0 f (/b)\n\n",
		  "my U-?/0;f 1\nmy prog-?/0;f 2\n" },
		/* an address that was accessed, without time and event */
		{ "half   362     7ffecc622609 [unknown]\n\t  4008a0 f\n\t  4008b0 main\n\n"
		  "half   362                0 [unknown]\n\t  4008a0 f\n\t  4008b0 main\n\n",
		  "half-?/362;main;f 2\n" },
		{ "   half   362     7ffecc622609 [unknown] ([stack])    4008a0 f (/b)\n"
		  "   half   362                0 [unknown] ([unknown])    4008a0 f (/b)\n",
		  "half-?/362;f 2\n" },
		/* and an event without time and thread */
		{ "cpu-clock: \n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n\n", "main;f 1\n" },
		{ "my prog cpu-clock: \n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n\n",
		  "my prog-?/0;main;f 1\n" },
		{ "my prog K     cpu-clock: \n\t  4008a0 f (/b)\n\t  4008b0 main (/b)\n\n",
		  "my prog-?/0;main;f 1\n" },
		/* lines of source */
		{ "p 1 9.1: 1 a:\n\t  4008a0 f (/b)\n|175\t  x = y; // 12 cycles: 3\n\t  4008b0 "
		  "main (/b)\n\n",
		  "p-?/1;main;f 1\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct import_result result;
		char *got;

		test_case("%s", cases[i].text);
		got = fold_text(cases[i].text, &result);
		EXPECT_TEXT(got, cases[i].want);
		EXPECT_INT(result.format, IMPORT_PERFSCRIPT);
		EXPECT_INT(result.broken, 0);
		free(got);
	}
}

TEST(perfscript_broken_lines)
{
	struct import_result result;
	char *got = fold_text("p 1 1.0: 1 a:\n\t7f f (/b)\n\tffffffff810427cd cut ([kern\n"
			      "p 1 1.2: 1 a:\n\t7f f (/b)\n???\n"
			      "p 1 1.3: 1 a:\n\t810427cd g ([k])/libc.so)\n",
			      &result);

	EXPECT_TEXT(got, "p-?/1 1\np-?/1;cut ([kern;f 1\np-?/1;f 1\n");
	EXPECT_INT(result.broken, 2);
	EXPECT_INT(result.broken_line, 6);
	EXPECT_TEXT(result.broken_text, "???");
	free(got);
}

/* Rows that agree are one; times keep them apart and in order. */
TEST(perfscript_rows)
{
	const char *text =
		"p 1 [001] 3.0: 1 a:\n\t7f f (/b)\n\np 1 [002] 2.0: 5 a:\n\t7f f (/b)\n\n";
	struct import_options options = { 0 };

	for (int times = 0; times < 2; times++) {
		struct import_result result;
		struct profile *profile;
		struct input *input = input_of(text, strlen(text));

		options.times = options.cpus = times;
		EXPECT_INT(import_read(input, &options, &result, NULL), 0);
		profile = result.profile;
		EXPECT_INT(profile->samples.len, times ? 2 : 1);
		EXPECT_INT(profile->events.data[0].samples, 2);
		EXPECT_INT(profile->events.data[0].weight, 6);
		EXPECT_INT(profile->samples.time[0], times ? 2000000000 : 0);
		EXPECT_INT(profile->samples.weight[0], times ? 5 : 6);
		EXPECT_INT(profile->samples.cpu[0], times ? 2 : UINT16_MAX);
		EXPECT_INT(profile_row_count(&profile->samples, 0), times ? 1 : 2);
		profile_free(profile);
		input_close(input);
	}
}

/* The outermost frame of a stack that was cut may be an inlined one: the index takes it, too. */
TEST(perfscript_inlined_outermost)
{
	const char *text = "p 1 1.0: 1 a:\n\t10 foo+0x0 (/bin/a)\n\t20 bar+0x0 (inlined)\n\n"
			   "p 1 2.0: 1 a:\n\t10 foo+0x0 (/bin/a)\n\t20 bar+0x0 (inlined)\n\n";
	struct import_result result;
	struct profile *again = NULL;
	struct input *input = input_of(text, strlen(text));
	struct err err = { 0 };
	int fd = memfd_create("index", MFD_CLOEXEC);

	EXPECT_INT(import_read(input, &(struct import_options){ 0 }, &result, &err), 0);
	EXPECT_INT(result.profile->stacks.len, 3);
	EXPECT_INT(result.profile->samples.len, 1); /* found again */
	EXPECT_INT(profile_index_write_fd(result.profile, fd, &err), 0);
	EXPECT_INT(profile_index_open_fd(&again, fd, &err), 0);
	EXPECT_TEXT(err.text, "");
	profile_free(again);
	profile_free(result.profile);
	input_close(input);
	close(fd);
}
