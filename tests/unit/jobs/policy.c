// SPDX-License-Identifier: Apache-2.0
#include "jobs/policy.h"
#include "base/err.h"
#include "test.h"

#include <errno.h>
#include <unistd.h>

TEST(policy_deny)
{
	static const struct {
		const char *deny;
		bool attach, users, host;
		int rc;
	} cases[] = {
		{ NULL, true, true, true, 0 },
		{ "", true, true, true, 0 },
		{ "host", true, true, false, 0 },
		{ "users,attach", false, false, true, 0 },
		{ "attach,users,host", false, false, false, 0 },
		{ "hos", false, false, false, -EINVAL },
		{ "hosts", false, false, false, -EINVAL },
		{ "host,,", false, false, false, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct policy_options options = { .deny = cases[i].deny, .data = "/no/such" };
		struct policy policy;
		struct err err = { 0 };
		int rc = policy_make(&policy, &options, &err);

		test_case("%s", cases[i].deny ? cases[i].deny : "nothing");
		EXPECT_INT(rc, cases[i].rc);
		if (rc)
			continue;
		EXPECT_BOOL(policy.reach.attach, cases[i].attach);
		EXPECT_BOOL(policy.reach.users, cases[i].users);
		EXPECT_BOOL(policy.reach.host, cases[i].host);
		policy_fini(&policy);
	}
}

TEST(policy_allow)
{
	static const struct {
		const char *deny, *allow;
		bool shared;
		struct reach reach;
		int rc;
	} cases[] = {
		{ NULL, NULL, false, { true, true, true, true }, 0 },
		{ NULL, NULL, true, { true, false, false, false }, 0 },
		{ NULL, "attach", true, { true, true, false, false }, 0 },
		{ NULL, "users,host", true, { true, false, true, true }, 0 },
		{ "users", "host", true, { true, false, false, true }, 0 },
		{ "users", "attach", true, { true, false, false, false }, 0 },
		{ "attach", NULL, false, { false, false, false, true }, 0 },
		{ "host", "host", false, { 0 }, -EINVAL },
		{ NULL, "all", false, { 0 }, -EINVAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct policy_options options = { .deny = cases[i].deny,
						  .allow = cases[i].allow,
						  .data = "/no/such" };
		struct policy policy;
		struct reach reach;
		struct err err = { 0 };
		int rc = policy_make(&policy, &options, &err);

		test_case("%zu", i);
		EXPECT_INT(rc, cases[i].rc);
		if (rc)
			continue;
		reach = reach_by(&policy.reach, cases[i].shared);
		EXPECT_BOOL(reach.attach, cases[i].reach.attach);
		EXPECT_BOOL(reach.attach_others, cases[i].reach.attach_others);
		EXPECT_BOOL(reach.users, cases[i].reach.users);
		EXPECT_BOOL(reach.host, cases[i].reach.host);
		policy_fini(&policy);
	}
}

/* Two who have nothing of each other, and neither is root. */
TEST(policy_users_of_root)
{
	struct policy_options options = { .data = "/no/such" };
	struct policy policy;
	struct err err = { 0 };

	if (geteuid()) {
		options.user = "root";
		EXPECT_INT(policy_make(&policy, &options, &err), -EPERM);
		return;
	}
	EXPECT_INT(policy_make(&policy, &options, &err), 0);
	EXPECT(policy.web.uid != 0 && policy.workload.uid != 0);
	EXPECT(policy.web.uid != policy.workload.uid);
	EXPECT_BOOL(policy.as_root, false);
	policy_fini(&policy);

	options.user = "root";
	EXPECT_INT(policy_make(&policy, &options, &err), -EPERM);
	options.as_root = true;
	EXPECT_INT(policy_make(&policy, &options, &err), 0);
	EXPECT_BOOL(policy.as_root, true);
	policy_fini(&policy);

	options = (struct policy_options){ .data = "/no/such", .web_user = "root" };
	EXPECT_INT(policy_make(&policy, &options, &err), -EINVAL);
	options = (struct policy_options){ .data = "/no/such",
					   .web_user = "nobody",
					   .user = "nobody" };
	EXPECT_INT(policy_make(&policy, &options, &err), -EINVAL);
	EXPECT_CONTAINS(err.text, "the web side is that user too");
	options = (struct policy_options){ .data = "/no/such", .user = "no such user" };
	EXPECT_INT(policy_make(&policy, &options, &err), -ENOENT);
}
