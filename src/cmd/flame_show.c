// SPDX-License-Identifier: Apache-2.0
#include "cmd/flame_show.h"
#include "base/log.h"
#include "base/mem.h"

#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_MS 2000
#define LOOK_MS 20

/* Whether it could be started. */
static bool start(const char *program, const char *path, pid_t *pid)
{
	const char *const words[] = { program, path, NULL };

	return !posix_spawnp(pid, program, NULL, NULL, (char *const *)(uintptr_t)words, environ);
}

/* A browser may stay in front of us as long as it is open: it is not waited for longer. */
static bool went_well(pid_t pid)
{
	int status;

	for (int ms = 0; ms < WAIT_MS; ms += LOOK_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && !WEXITSTATUS(status);
		poll(NULL, 0, LOOK_MS);
	}
	return true;
}

static bool try_one(const char *program, const char *path)
{
	pid_t pid;

	return *program && start(program, path, &pid) && went_well(pid);
}

/* $BROWSER is a list with colons, of programs that may have words behind them. */
static bool try_browser(const char *path)
{
	const char *list = getenv("BROWSER");
	char *copy = mem_strdup(list ? list : ""), *rest = copy, *program;
	bool shown = false;

	while (!shown && (program = strsep(&rest, ":"))) {
		program[strcspn(program, " %")] = '\0';
		shown = try_one(program, path);
	}
	free(copy);
	return shown;
}

static bool try_desktop(const char *path)
{
	static const char *const programs[] = { "xdg-open", "sensible-browser", "firefox",
						"chromium", "google-chrome",	"wslview" };

	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY") && !getenv("WSL_DISTRO_NAME"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (try_one(programs[i], path))
			return true;
	return false;
}

void flame_show(const char *path)
{
	char *whole = realpath(path, NULL);

	if (!try_browser(whole ? whole : path) && !try_desktop(whole ? whole : path))
		log_line(
			LOG_WARN,
			"--open: no browser can be started here (BROWSER names one); open %s where "
			"there is one",
			whole ? whole : path);
	free(whole);
}
