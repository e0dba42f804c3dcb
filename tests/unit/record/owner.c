// SPDX-License-Identifier: Apache-2.0
#include "record/owner.h"
#include "fakering.h"
#include "record/sampling.h"
#include "scene.h"

#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SOMEBODY 65534

/* A process that becomes what it is told to. */
static struct {
	pid_t pid;
	int words, answers;
	struct owner owner; /* whose it is at first */
} other;

static void live(int words, int answers)
{
	char word;

	if (!geteuid() && (setgroups(0, NULL) || setresgid(SOMEBODY, SOMEBODY, SOMEBODY) ||
			   setresuid(SOMEBODY, SOMEBODY, SOMEBODY)))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* as after an exec */
	do {
		if (write(answers, "", 1) != 1 || read(words, &word, 1) != 1)
			_exit(1);
		prctl(PR_SET_DUMPABLE, word == 'o', 0, 0, 0);
	} while (word != 'e');
	_exit(0);
}

static void tell(char word)
{
	char answer;

	EXPECT_INT(write(other.words, &word, 1), 1);
	if (word == 'e')
		EXPECT_INT(waitpid(other.pid, NULL, 0), other.pid);
	else
		EXPECT_INT(read(other.answers, &answer, 1), 1);
}

static void start_other(void)
{
	int words[2], answers[2];
	char answer;

	EXPECT_INT(pipe(words) || pipe(answers), 0);
	other.owner = (struct owner){ .set = true,
				      .uid = geteuid() ? geteuid() : SOMEBODY,
				      .gid = geteuid() ? getegid() : SOMEBODY };
	other.pid = fork();
	if (!other.pid) {
		close(words[1]);
		live(words[0], answers[1]);
	}
	close(words[0]);
	close(answers[1]);
	other.words = words[1];
	other.answers = answers[0];
	EXPECT_INT(read(other.answers, &answer, 1), 1);
}

static void end_other(void)
{
	close(other.words);
	close(other.answers);
	waitpid(other.pid, NULL, 0);
}

TEST(owner_is_read)
{
	struct owner owner;
	struct err err;

	EXPECT_INT(owner_parse(&owner, NULL, &err), 0);
	EXPECT(!owner.set);
	EXPECT_INT(owner_parse(&owner, "12:34", &err), 0);
	EXPECT(owner.set && owner.uid == 12 && owner.gid == 34);
	EXPECT_INT(owner_parse(&owner, "12", &err), -EINVAL);
	EXPECT_INT(owner_parse(&owner, "12:34:5", &err), -EINVAL);
	EXPECT_INT(owner_parse(&owner, "ann:34", &err), -EINVAL);
	EXPECT(!owner.set);
}

/* As the kernel has it for who traces. */
TEST(owner_of_a_process)
{
	struct owner owner;
	struct err err = { 0 };
	int held;

	start_other();
	owner = other.owner;
	EXPECT_INT(owner_check_task(&(struct owner){ 0 }, other.pid, &err), 0);
	EXPECT_INT(owner_check_task(&owner, other.pid, &err), 0);
	owner.uid++;
	EXPECT_INT(owner_check_task(&owner, other.pid, &err), -EPERM);
	owner = other.owner;
	owner.gid++;
	EXPECT_INT(owner_check_task(&owner, other.pid, &err), -EPERM);
	owner = other.owner;
	tell('c');
	EXPECT_INT(owner_check_task(&owner, other.pid, &err), -EPERM);
	EXPECT_CONTAINS(err.text, "another user's");
	tell('o');
	EXPECT_INT(owner_check_task(&owner, other.pid, &err), 0);

	test_case("who has its number later is another");
	held = owner_hold(&owner, other.pid);
	EXPECT(held >= 0);
	tell('e');
	EXPECT_INT(owner_check(&owner, held, other.pid, &err), -ESRCH);
	EXPECT_INT(owner_check_task(&owner, other.pid, &err), -ESRCH);
	close(held);
	end_other();
}

/* Between the look at whose it is and its first event. */
static void change(pid_t pid)
{
	if (pid == other.pid)
		tell('c');
}

static void aim(struct scene *scene)
{
	char pid[16], owner[32];

	snprintf(pid, sizeof(pid), "%d", (int)other.pid);
	snprintf(owner, sizeof(owner), "%u:%u", (unsigned)other.owner.uid,
		 (unsigned)other.owner.gid);
	scene_software(scene, 0)->name = "cpu-clock";
	EXPECT_INT(target_resolve(&scene->target,
				  &(struct target_flags){ .pids = pid, .owner = owner }, NULL),
		   0);
}

TEST(owner_that_changes_before_it_is_counted)
{
	for (int changes = 0; changes < 2; changes++) {
		struct scene scene = { 0 };

		start_other();
		fake_boot(0);
		aim(&scene);
		fake.on_open = changes ? change : NULL;
		EXPECT_INT(scene_try_open(&scene, (struct counters_options){ 0 }), !changes);
		EXPECT_INT(scene.err.code, changes ? EPERM : 0);
		lifewatch_fini(&scene.target.watch);
		vec_free(&scene.target.ids);
		scene_end(&scene);
		end_other();
	}
}

TEST(owner_that_changes_before_it_is_sampled)
{
	for (int changes = 0; changes < 2; changes++) {
		struct sampling_options options = { .sys = &fake_ring_sys,
						    .choice = { .frequency = 99,
								.clock = CLOCK_MONOTONIC },
						    .ring_bytes = 64 << 10 };
		struct scene scene = { 0 };
		struct sampling *sampling;

		start_other();
		fake_boot(0);
		fake.cpus = 4096;
		fake_rings_boot();
		aim(&scene);
		fake.on_open = changes ? change : NULL;
		sampling = sampling_open(&scene.list, &scene.target, &options, &scene.err);
		EXPECT_INT(sampling != NULL, !changes);
		EXPECT_INT(scene.err.code, changes ? EPERM : 0);
		sampling_close(sampling);
		EXPECT_INT(fake_open_fds(), 0);
		target_fini(&scene.target);
		event_list_free(&scene.list);
		fake_rings_shutdown();
		fake_shutdown();
		end_other();
	}
}
