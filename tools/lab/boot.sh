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

# The kernel's module $1 to the folder $2, behind those that it needs, which is not the same in all kernels; newer ones
# have some of them built in.
add_module() {
	local module need

	module=$(find "$dir/guest/lib/modules" -name "$1.ko*")
	[ -n "$module" ] && [ ! -e "$2/$1.ko" ] || return 0
	if [ "${module##*.}" = xz ]; then xz -dc "$module"; else cat "$module"; fi >"$2/$1.ko"
	for need in $(aarch64-linux-gnu-objcopy -O binary --only-section=.modinfo "$2/$1.ko" /dev/stdout |
		tr '\0' '\n' | sed -n 's/^depends=//p' | tr , ' '); do
		add_module "$need" "$2"
	done
	echo "$1.ko" >>"$2/order"
}

make_initramfs() {
	local tree=$work/tree name

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
	: >"$tree/modules/order"
	for name in virtio_mmio virtio_console; do
		add_module "$name" "$tree/modules"
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
