// SPDX-License-Identifier: Apache-2.0
#include "fakering.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

struct fake_rings fake_rings;

void fake_rings_boot(void)
{
	fake_rings_shutdown();
	fake_rings = (struct fake_rings){ .most_bytes = SIZE_MAX };
}

void fake_rings_shutdown(void)
{
	vec_each (ring, &fake_rings.rings)
		free(ring->page);
	vec_free(&fake_rings.rings);
	vec_free(&fake_rings.outputs);
}

static int open_event(const struct event_attr *attr, pid_t pid, int cpu, int group_fd,
		      unsigned long flags)
{
	const struct perf_event_attr *base = &attr->base;
	int kernel = fake_rings.kernel ? fake_rings.kernel : 10000;

	if ((base->read_format & PERF_FORMAT_LOST && kernel < 600) ||
	    (base->build_id && kernel < 512) ||
	    ((base->bpf_event || base->ksymbol) && kernel < 501) ||
	    (base->namespaces && kernel < 412))
		return -EINVAL;
	return fake_sys.open(attr, pid, cpu, group_fd, flags);
}

static ssize_t read_event(int fd, void *into, size_t size)
{
	uint64_t values[] = { 1, (uint64_t)fd * 7, fake_rings.lost_samples };

	if (size < sizeof(values))
		return -ENOSPC;
	memcpy(into, values, sizeof(values));
	return sizeof(values);
}

static int control_event(int fd, unsigned long request, unsigned long argument)
{
	if (request == PERF_EVENT_IOC_SET_OUTPUT) {
		*vec_push(&fake_rings.outputs) = (int)argument;
		return 0;
	}
	if (request == PERF_EVENT_IOC_PAUSE_OUTPUT) {
		fake_rings.paused = (int)argument;
		return 0;
	}
	return fake_sys.ioctl(fd, request, argument);
}

static int close_event(int fd)
{
	return fake_sys.close(fd);
}

static int map_ring(int fd, size_t size, bool writable, void **into)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), mapped = 0;
	struct fake_ring *ring;

	(void)writable;
	vec_each (other, &fake_rings.rings)
		mapped += other->size;
	if (mapped + size > fake_rings.most_bytes)
		return -EPERM;
	ring = vec_push(&fake_rings.rings);
	ring->fd = fd;
	ring->page = mem_alloc(size);
	ring->data = (unsigned char *)ring->page + page;
	ring->size = size - page;
	*into = ring->page;
	return 0;
}

static int unmap_ring(void *map, size_t size)
{
	(void)size;
	for (size_t i = 0; i < fake_rings.rings.len; i++)
		if (fake_rings.rings.data[i].page == map) {
			free(map);
			fake_rings.rings.data[i] = *vec_last(&fake_rings.rings);
			fake_rings.rings.len--;
			return 0;
		}
	return -EINVAL;
}

/* Readable is whatever has something in it; the last descriptor is a real one. */
static int poll_rings(struct pollfd *fds, size_t count, int timeout_ms)
{
	struct timespec pause = { .tv_nsec = 2000000 };
	int ready = 0;

	(void)timeout_ms;
	__atomic_add_fetch(&fake_rings.polls, 1, __ATOMIC_RELAXED);
	ready = poll(&fds[count - 1], 1, 0);
	for (size_t i = 0; i + 1 < count; i++) {
		struct fake_ring *ring = &fake_rings.rings.data[i];
		uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

		fds[i].revents = head != ring->page->data_tail ? POLLIN : 0;
		ready += fds[i].revents != 0;
	}
	if (!ready)
		nanosleep(&pause, NULL);
	return ready;
}

const struct perf_sys fake_ring_sys = {
	.open = open_event,
	.read = read_event,
	.ioctl = control_event,
	.close = close_event,
	.map = map_ring,
	.unmap = unmap_ring,
	.poll = poll_rings,
};

static void put_bytes(struct fake_ring *ring, uint64_t at, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		ring->data[(at + i) % ring->size] = ((const unsigned char *)bytes)[i];
}

static bool put(struct fake_ring *ring, uint32_t type, const void *body, size_t size)
{
	struct perf_event_header header = { .type = type,
					    .size = (uint16_t)(sizeof(header) + size) };
	uint64_t head = ring->page->data_head;
	uint64_t tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);

	if (head - tail + header.size > ring->size)
		return false;
	put_bytes(ring, head, &header, sizeof(header));
	put_bytes(ring, head + sizeof(header), body, size);
	__atomic_store_n(&ring->page->data_head, head + header.size, __ATOMIC_RELEASE);
	return true;
}

bool fake_rings_put(size_t index, uint32_t type, const void *body, size_t size)
{
	struct fake_ring *ring = &fake_rings.rings.data[index];

	if (ring->lost) {
		uint64_t lost[] = { 1, ring->lost };

		if (put(ring, PERF_RECORD_LOST, lost, sizeof(lost)))
			ring->lost = 0;
	}
	if (put(ring, type, body, size))
		return true;
	ring->lost++;
	return false;
}
