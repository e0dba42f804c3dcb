// SPDX-License-Identifier: Apache-2.0
#include "base/buf.h"
#include "server/hub_inside.h"

#include <inttypes.h>
#include <stdio.h>

struct hub_event *hub_event_get(struct hub_event *event)
{
	__atomic_fetch_add(&event->refs, 1, __ATOMIC_RELAXED);
	return event;
}

void hub_event_put(struct hub_event *event)
{
	if (event && __atomic_fetch_sub(&event->refs, 1, __ATOMIC_ACQ_REL) == 1)
		free(event);
}

/* A line's end would end the event's data; in JSON it can only stand between values. */
static void add_in_one_line(struct buf *buf, const char *json)
{
	size_t at = buf->len;

	buf_puts(buf, json);
	for (; at < buf->len; at++)
		if (buf->data[at] == '\n' || buf->data[at] == '\r')
			buf->data[at] = ' ';
}

static size_t render(struct buf *buf, const struct hub *hub, uint64_t number, const char *topic,
		     const char *name, const char *json)
{
	size_t id_size;
	char id[48];

	snprintf(id, sizeof(id), "%" PRIu64 "-%" PRIu64, hub->epoch, number);
	buf_printf(buf, "id: %s\n", id);
	id_size = buf->len;
	buf_printf(buf, "event: %s\ndata: ", name);
	if (topic)
		buf_printf(buf, "{\"topic\":\"%s\",\"at\":\"%s\"%s", topic, id,
			   json[1] == '}' ? "" : ",");
	add_in_one_line(buf, topic ? json + 1 : json);
	buf_puts(buf, "\n\n");
	return id_size;
}

struct hub_event *hub_event_make(struct hub *hub, uint64_t number, const char *topic,
				 const char *name, const char *json)
{
	struct buf buf = { 0 };
	size_t id_size = render(&buf, hub, number, topic, name, json);
	struct hub_event *event = mem_alloc(sizeof(*event) + buf.len);

	*event = (struct hub_event){ .refs = 1, .number = number, .id_size = id_size };
	event->size = buf.len;
	memcpy(event->bytes, buf.data, buf.len);
	buf_free(&buf);
	return event;
}

void hub_queue_push(struct hub_queue *queue, const struct hub_item *item)
{
	if (queue->head && queue->len == queue->cap) {
		memmove(queue->data, queue->data + queue->head,
			(queue->len - queue->head) * sizeof(*queue->data));
		queue->len -= queue->head;
		queue->head = 0;
	}
	*vec_push(queue) = *item;
	hub_event_get(item->event);
	if (item->counted)
		queue->bytes += item->event->size;
}

void hub_queue_shift(struct hub_queue *queue)
{
	const struct hub_item *item = &queue->data[queue->head++];

	if (item->counted)
		queue->bytes -= item->event->size;
	hub_event_put(item->event);
	if (queue->head == queue->len)
		queue->head = queue->len = 0;
}

void hub_queue_clear(struct hub_queue *queue)
{
	while (!hub_queue_empty(queue))
		hub_queue_shift(queue);
	vec_free(queue);
	queue->head = 0;
}
