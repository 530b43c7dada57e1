#!/usr/bin/env bash
# Boots systemd as process 1 of namespaces of its own: boot.sh <folder> <checkout>. What it and its services write outside
# /tmp goes to <folder>; the checkout is seen at /opt/stopwatch.
set -euo pipefail
folder="$1" checkout="$2"

mount --make-rprivate /
mount -t proc proc /proc
# Without the controllers, it changes nothing outside its own part of the tree.
for controllers in /sys/fs/cgroup/*; do
  case "$controllers" in
    */systemd | */unified) ;;
    *) mountpoint -q "$controllers" && umount "$controllers" ;;
  esac
done
for written in etc var opt; do
  mkdir -p "$folder/$written" "$folder/$written.work"
  mount -t overlay overlay -o "lowerdir=/$written,upperdir=$folder/$written,workdir=$folder/$written.work" "/$written"
done
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /opt/stopwatch /run/units
mount --bind "$checkout" /opt/stopwatch
# Nothing of this machine's own units but what every service needs.
for name in basic multi-user network-online shutdown sockets; do cp "/lib/systemd/system/$name.target" /run/units/; done
printf '[Unit]\nDescription=System Initialization\n' > /run/units/sysinit.target
for generators in system-generators system-environment-generators; do
  [ ! -d "/lib/systemd/$generators" ] || mount -t tmpfs tmpfs "/lib/systemd/$generators"
done
rm -rf /etc/systemd/system
mkdir -p /etc/systemd/system
exec env -i PATH="$PATH" container=docker SYSTEMD_UNIT_PATH=/etc/systemd/system:/run/units \
  /lib/systemd/systemd --system --unit=basic.target --log-target=null
