// SPDX-License-Identifier: Apache-2.0
/* BPF programs, and the kernel's type information that they need to fit any kernel. */
#include "base/cursor.h"
#include "base/err.h"
#include "base/file.h"
#include "doctor/probe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that follow a type's head, by kind (Documentation/bpf/btf.rst). */
static size_t type_tail(uint32_t info)
{
	size_t members = BTF_INFO_VLEN(info);

	switch (BTF_INFO_KIND(info)) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case 17 /* BTF_KIND_DECL_TAG */: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_DATASEC:
	case 19 /* BTF_KIND_ENUM64 */: return members * 12;
	case BTF_KIND_ENUM:
	case BTF_KIND_FUNC_PROTO: return members * 8;
	default: return 0;
	}
}

/* The id of a function in the kernel's BTF, 0 if there is none. */
static uint32_t find_function(const char *btf, size_t size, const char *name)
{
	const size_t length = strlen(name) + 1;
	struct btf_header head;
	struct cursor types;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, btf, sizeof(head));
	if (head.magic != BTF_MAGIC || head.hdr_len > size ||
	    head.type_off + (uint64_t)head.type_len > size - head.hdr_len ||
	    head.str_off + (uint64_t)head.str_len > size - head.hdr_len)
		return 0;
	types = cursor_of(btf + head.hdr_len + head.type_off, head.type_len);
	for (uint32_t id = 1; cursor_left(&types); id++) {
		struct btf_type type;

		cursor_read(&types, &type, sizeof(type));
		cursor_bytes(&types, type_tail(type.info));
		if (types.broken)
			break;
		if (BTF_INFO_KIND(type.info) == BTF_KIND_FUNC &&
		    type.name_off + length <= head.str_len &&
		    !memcmp(btf + head.hdr_len + head.str_off + type.name_off, name, length))
			return id;
	}
	return 0;
}

/* A program at the entry of a kernel function; -ENOENT if there is no BTF to name one. */
static int try_fentry(const struct checkup *c)
{
	char path[PATH_MAX], *btf;
	uint32_t id;
	size_t size;

	snprintf(path, sizeof(path), "%s/sys/kernel/btf/vmlinux", c->root);
	btf = file_read(path, &size, NULL);
	if (!btf)
		return -ENOENT;
	id = find_function(btf, size, "vfs_read");
	free(btf);
	return id ? c->kernel->load_bpf(BPF_PROG_TYPE_TRACING, id) : -ENOENT;
}

static void say_no_bpf(struct checkup *c, struct finding *f, int code)
{
	f->state = DOCTOR_MISSING;
	if (code != -EPERM && code != -EACCES) {
		f->what = SAY(c, "not in this kernel (%s)", strerror(-code));
		f->because = "not built into the kernel";
		f->remedy = "use a kernel with CONFIG_BPF_SYSCALL";
	} else if (host_has(&c->host, HOST_CAP_SYS_ADMIN)) {
		f->what = "refused even to root";
		f->because = "refused by the kernel";
		f->remedy = c->host.seccomp ? "allow bpf(2) in the seccomp filter" : NULL;
	} else {
		f->what = "closed to ordinary users";
		f->because = "not permitted";
		f->grants = HOST_GRANT_PERFMON | HOST_GRANT_BPF;
	}
}

bool probe_bpf(struct checkup *c, struct finding *f)
{
	int code = c->kernel->load_bpf(BPF_PROG_TYPE_PERF_EVENT, 0), fentry;
	int64_t disabled = -1;

	file_number(&disabled, "%s/proc/sys/kernel/unprivileged_bpf_disabled", c->root);
	if (code) {
		say_no_bpf(c, f, code);
		f->evidence = SAY(c, "loading a program: %s; unprivileged_bpf_disabled %lld",
				  probe_result(code), (long long)disabled);
		return true;
	}
	fentry = try_fentry(c);
	f->what = fentry ? "work, but not on entry and exit of kernel functions"
			 : "work, also on entry and exit of kernel functions";
	f->evidence = SAY(c,
			  "loading a perf event program: yes, attaching an fentry program: %s; "
			  "unprivileged_bpf_disabled %lld",
			  probe_result(fentry), (long long)disabled);
	return true;
}

bool probe_btf(struct checkup *c, struct finding *f)
{
	uint16_t magic = 0;
	char head[16];

	if (file_line(head, sizeof(head), "%s/sys/kernel/btf/vmlinux", c->root) >= 0)
		memcpy(&magic, head, sizeof(magic));
	if (magic == BTF_MAGIC) {
		f->what = "readable";
		f->meaning = "BPF programs fit themselves to this kernel";
		return true;
	}
	f->state = DOCTOR_MISSING;
	f->what = "none";
	f->meaning = "BPF programs can't fit themselves to this kernel";
	f->remedy = "use a kernel with CONFIG_DEBUG_INFO_BTF";
	return true;
}
