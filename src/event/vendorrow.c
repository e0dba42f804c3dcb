// SPDX-License-Identifier: Apache-2.0
/* One row of a vendor's table: from its JSON members to terms. */
#include "event/vendorrow.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/jsonread.h"
#include "event/source.h"
#include "event/vendor.h"

#include <ctype.h>
#include <errno.h>
#include <strings.h>

#define EVENTS_MAX   200000
#define LONGEST_NAME 200

/* Descriptions in one line: tabs and newlines would break the compact form. */
const char *vendor_one_line(struct vendor_table *table, const char *text)
{
	char *copy = arena_strdup(&table->arena, text ? text : ""), *out = copy;

	for (const char *in = copy; *in; in++) {
		bool space = isspace((unsigned char)*in) || iscntrl((unsigned char)*in);

		if (!space)
			*out++ = *in;
		else if (out > copy && out[-1] != ' ')
			*out++ = ' ';
	}
	while (out > copy && out[-1] == ' ')
		out--;
	*out = '\0';
	return copy;
}

/* A name that the grammar can take. */
static bool name_is_sound(const char *name)
{
	size_t length = strlen(name);

	if (!length || length > LONGEST_NAME || strchr(".-:", name[0]))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-:") ==
	       length;
}

/* A member that is a number, or text with one; of "0xB7, 0xBB" the first.  Absent: 0. */
static int number_of(struct json_object *row, const char *key, uint64_t *value, struct err *err)
{
	const char *text = jsonread_text(row, key, "0");
	size_t length = strcspn(text, ",");

	while (length && text[length - 1] == ' ')
		length--;
	if (!length || !strcmp(text, "null") || !strcmp(text, "na")) {
		*value = 0;
		return 0;
	}
	if (source_number(text, length, 0, value))
		return err_set(err, EBADMSG, "%s is '%.40s', not a number", key, text);
	return 0;
}

/*
 * Intel lists fixed counters with codes that the kernel does not take; these are the ones by which
 * it finds them.
 */
static const char *fixed_counter(const char *name, struct json_object *row)
{
	static const struct {
		const char *name, *terms;
	} fixed[] = {
		{ "INST_RETIRED.ANY", "event=0xc0" },
		{ "CPU_CLK_UNHALTED.THREAD", "event=0x3c" },
		{ "CPU_CLK_UNHALTED.CORE", "event=0x3c" },
		{ "CPU_CLK_UNHALTED.THREAD_ANY", "event=0x3c,any=0x1" },
	};
	uint64_t code;

	if (strncasecmp(jsonread_text(row, "Counter", ""), "Fixed", 5) != 0 &&
	    (number_of(row, "EventCode", &code, NULL) || code))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		if (!strcasecmp(fixed[i].name, name))
			return fixed[i].terms;
	return NULL;
}

/* What Linux calls the PMU of a vendor's "Unit". */
static const char *pmu_of(struct vendor_table *table, struct json_object *row)
{
	static const struct {
		const char *unit, *pmu;
	} known[] = {
		{ "CBO", "uncore_cbox" },	{ "SBO", "uncore_sbox" },
		{ "QPI LL", "uncore_qpi" },	{ "UPI LL", "uncore_upi" },
		{ "iMPH-U", "uncore_arb" },	{ "NCU", "uncore_clock" },
		{ "CPU-M-CF", "cpum_cf" },	{ "CPU-M-SF", "cpum_sf" },
		{ "PAI-CRYPTO", "pai_crypto" }, { "L3PMC", "amd_l3" },
		{ "DFPMC", "amd_df" },		{ "cpu_core", "cpu_core" },
		{ "cpu_atom", "cpu_atom" },	{ "imx8_ddr", "imx8_ddr" },
	};
	const char *unit = jsonread_text(row, "Unit", "");
	bool free_running = !strncmp(jsonread_text(row, "CounterType", ""), "FREERUN", 7);
	char *pmu;

	if (!*unit)
		return table->pmu;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].unit, unit))
			return known[i].pmu;
	if (!strncmp(unit, "hisi_", 5))
		return vendor_one_line(table, unit);
	pmu = arena_printf(&table->arena, "uncore_%s%s", vendor_one_line(table, unit),
			   free_running ? "_free_running" : "");
	for (char *c = pmu; *c; c++)
		*c = *c == ' ' ? '_' : (char)tolower((unsigned char)*c);
	return pmu;
}

static void add_term(struct buf *terms, const char *key, uint64_t value)
{
	buf_printf(terms, "%s%s=%#llx", terms->len ? "," : "", key, (unsigned long long)value);
}

static int add_code(struct buf *terms, struct json_object *row, struct err *err)
{
	uint64_t event, more, umask, more_umask;
	int rc;

	if (json_object_object_get_ex(row, "ConfigCode", NULL)) {
		rc = number_of(row, "ConfigCode", &event, err);
		if (!rc)
			add_term(terms, "config", event);
		return rc;
	}
	if ((rc = number_of(row, "EventCode", &event, err)) ||
	    (rc = number_of(row, "ExtSel", &more, err)) ||
	    (rc = number_of(row, "UMask", &umask, err)) ||
	    (rc = number_of(row, "UMaskExt", &more_umask, err)))
		return rc;
	if (more > UINT32_MAX || more_umask > UINT32_MAX)
		return err_set(err, ERANGE, "a code is too large");
	add_term(terms, "event", event | more << 8);
	if (umask <= 0xff) /* otherwise perf has joined them already */
		umask |= more_umask << 8;
	if (umask)
		add_term(terms, "umask", umask);
	return 0;
}

/* A second register that an event needs, as Linux's formats call it. */
static int add_msr(struct buf *terms, struct json_object *row, struct err *err)
{
	uint64_t index, value;
	int rc;

	if ((rc = number_of(row, "MSRIndex", &index, err)) ||
	    (rc = number_of(row, "MSRValue", &value, err)))
		return rc;
	if (index == 0x1a6 || index == 0x1a7)
		add_term(terms, "offcore_rsp", value);
	else if (index == 0x3f6)
		add_term(terms, "ldlat", value);
	else if (index == 0x3f7)
		add_term(terms, "frontend", value);
	return 0;
}

static int add_fields(struct buf *terms, struct json_object *row, struct err *err)
{
	static const struct {
		const char *key, *term;
	} fields[] = {
		{ "AnyThread", "any" }, { "CounterMask", "cmask" }, { "EdgeDetect", "edge" },
		{ "Invert", "inv" },	{ "PortMask", "ch_mask" },  { "FCMask", "fc_mask" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t value;
		int rc = number_of(row, fields[i].key, &value, err);

		if (rc)
			return rc;
		if (value)
			add_term(terms, fields[i].term, value);
	}
	return 0;
}

static int terms_of(struct vendor_table *table, struct vendor_event *event, struct json_object *row,
		    struct err *err)
{
	const char *fixed = fixed_counter(event->name, row);
	const char *filter = jsonread_text(row, "Filter", "");
	struct buf terms = { 0 };
	int rc = 0;

	if (fixed) {
		event->terms = fixed;
		return 0;
	}
	if ((rc = add_code(&terms, row, err)) || (rc = add_fields(&terms, row, err)) ||
	    (rc = add_msr(&terms, row, err)))
		goto out;
	if (strchr(filter, '='))
		buf_printf(&terms, ",%s", vendor_one_line(table, filter));
	event->terms = arena_strdup(&table->arena, buf_text(&terms));
out:
	buf_free(&terms);
	return rc;
}

/* "64Bytes": a count stands for 64 of them. */
static void scale_of(struct vendor_table *table, struct vendor_event *event, const char *text)
{
	char *end;
	double scale = strtod(text, &end);

	if (end == text || !(scale > 0))
		return;
	event->scale = scale;
	event->unit = vendor_one_line(table, end);
}

static void describe(struct vendor_table *table, struct vendor_event *event,
		     struct json_object *row)
{
	const char *errata = jsonread_text(row, "Errata", "null");

	event->brief = vendor_one_line(table, jsonread_text(row, "BriefDescription", ""));
	event->detail = vendor_one_line(table, jsonread_text(row, "PublicDescription", ""));
	if (!*event->brief) {
		event->brief = event->detail;
		event->detail = "";
	}
	if (!strcmp(event->brief, event->detail))
		event->detail = "";
	if (*errata && strcmp(errata, "null") != 0)
		event->detail = arena_printf(&table->arena, "%s%sErrata: %s", event->detail,
					     *event->detail ? " " : "",
					     vendor_one_line(table, errata));
	event->deprecated = !strcmp(jsonread_text(row, "Deprecated", "0"), "1");
}

static int add_event(struct vendor_table *table, struct vendor_event event, struct err *err)
{
	if (!name_is_sound(event.name))
		return err_set(err, EBADMSG, "'%.60s' can't be the name of an event", event.name);
	if (table->events.len >= EVENTS_MAX)
		return err_set(err, E2BIG, "these are more than %d events", EVENTS_MAX);
	*vec_push(&table->events) = event;
	return 0;
}

/* Arm's files for perf name an event of the architecture and give only what differs. */
static int add_standard(struct vendor_table *table, const char *name, struct json_object *row,
			struct err *err)
{
	vec_each (standard, &table->standard) {
		struct vendor_event event = *standard, own = { 0 };

		if (strcasecmp(standard->name, name) != 0)
			continue;
		describe(table, &own, row);
		if (*own.brief)
			event.brief = own.brief, event.detail = own.detail;
		return add_event(table, event, err);
	}
	return err_set(err, ENOENT,
		       "%s is an event of the architecture, whose list is not beside this file; "
		       "import the whole folder",
		       name);
}

/* A row of Intel's or perf's; 1 if it is an event, 0 if it is something else. */
int vendor_row_read(struct vendor_table *table, struct json_object *row, struct err *err)
{
	const char *name = vendor_one_line(table, jsonread_text(row, "EventName", ""));
	const char *standard = jsonread_text(row, "ArchStdEvent", "");
	struct vendor_event event = { .name = name, .unit = "", .scale = 1.0 };
	int rc;

	if (!*name && *standard)
		rc = add_standard(table, vendor_one_line(table, standard), row, err);
	else if (!*name || !(json_object_object_get_ex(row, "EventCode", NULL) ||
			     json_object_object_get_ex(row, "ConfigCode", NULL)))
		return 0;
	else {
		event.pmu = pmu_of(table, row);
		rc = terms_of(table, &event, row, err);
		scale_of(table, &event, jsonread_text(row, "ScaleUnit", ""));
		describe(table, &event, row);
		rc = rc ? rc : add_event(table, event, err);
	}
	return rc ? rc : 1;
}

int vendor_row_read_arm(struct vendor_table *table, struct json_object *row, struct err *err)
{
	struct vendor_event event = { .unit = "", .scale = 1.0, .detail = "", .pmu = table->pmu };
	uint64_t code;
	int rc;

	event.name = vendor_one_line(table, jsonread_text(row, "name", ""));
	if (!*event.name || !json_object_object_get_ex(row, "code", NULL))
		return 0;
	rc = number_of(row, "code", &code, err);
	if (rc)
		return rc;
	event.terms = arena_printf(&table->arena, "event=%#llx", (unsigned long long)code);
	event.brief = vendor_one_line(table, jsonread_text(row, "description", ""));
	rc = add_event(table, event, err);
	return rc ? rc : 1;
}
