#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Boots the guest once and leaves what it said in DIR/BOOT/out.
#
#	boot.sh DIR BOOT SHIFT
#
# DIR is where build.sh built; DIR/BOOT/cases/*.sh is what the guest shall run.  SHIFT is QEMU's
# -icount shift: the guest's clock moves 2^SHIFT ns with each instruction, so that counts are
# exact, and the 1 GHz PMU sees 2^SHIFT cycles for each.  The boot named rich has perf and the unit tests, too.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: boot.sh DIR BOOT SHIFT} boot=${2:?} shift=${3:?}
work=$dir/$boot
limit_s=900

make_initramfs() {
	local tree=$work/tree module name

	rm -rf "$tree"
	mkdir -p "$tree"/{bin,dev,etc,proc,sys,tmp,modules}
	cp "$dir/guest/bin/busybox" "$here/../../tests/lab/guest/init" "$tree/bin/"
	mv "$tree/bin/init" "$tree/init"
	aarch64-linux-gnu-strip -o "$tree/bin/perfolio" "$dir/arm64/perfolio"
	for name in calls chain forks spin stacks threads witness; do
		cp "$dir/arm64/tests/lab/$name" "$tree/bin/"
	done
	if [ "$boot" = rich ]; then
		cp -r "$dir/perf/bin" "$dir/perf/lib" "$tree/"
		find "$dir/arm64/tests/unit" -name 'unit-*' -type f -exec cp {} "$tree/bin/" \;
		cp "$dir"/sysroot/usr/lib/*/libcmocka.so.0 "$tree/lib/"
	fi
	cp -r "$work/cases" "$tree/cases"
	# In the order in which they need each other; newer kernels have some of them built in.
	: >"$tree/modules/order"
	for name in virtio virtio_ring virtio_mmio virtio_console; do
		module=$(find "$dir/guest/lib/modules" -name "$name.ko*")
		[ -n "$module" ] || continue
		if [ "${module##*.}" = xz ]; then xz -dc "$module"; else cat "$module"; fi \
			>"$tree/modules/$name.ko"
		echo "$name.ko" >>"$tree/modules/order"
	done
	(cd "$tree" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$work/initramfs.gz"
}

# sleep=off: an idle guest jumps to its next timer instead of waiting for it, so that sleeping
# costs no time.  The seed makes its random numbers, and so its runs, the same each time.
run_guest() {
	timeout "$limit_s" qemu-system-aarch64 \
		-machine virt -cpu cortex-a57 -m 768 -accel tcg -icount "shift=$shift,sleep=off" -seed 1 \
		-rtc base=2024-01-01,clock=vm -nographic -no-reboot -nodefaults -serial "file:$work/console" \
		-device virtio-serial-device -device virtserialport,chardev=out,name=out \
		-chardev "file,id=out,path=$work/out.tar" \
		-kernel "$dir"/guest/boot/vmlinuz-* -initrd "$work/initramfs.gz" \
		-append "console=ttyAMA0 quiet panic=-1 nokaslr"
}

make_initramfs
rm -rf "$work/out" "$work/out.tar"
if ! run_guest </dev/null >"$work/qemu.log" 2>&1 || [ ! -s "$work/out.tar" ]; then
	echo "lab: the guest did not finish within $limit_s s; the end of its console:" >&2
	tail -n 20 "$work/qemu.log" "$work/console" >&2 || true
	exit 1
fi
mkdir "$work/out"
tar -C "$work/out" -xmf "$work/out.tar"
