#!/usr/bin/env bash
# Boots systemd as process 1 of namespaces of its own: boot.sh <folder>. What it and its services write to /etc, /var and /opt
# goes to <folder>.
set -euo pipefail
folder="$1"

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
mkdir /run/units /run/dbus
# Nothing of this machine's own units but what every service needs.
for name in basic multi-user network-online shutdown sockets; do cp "/lib/systemd/system/$name.target" /run/units/; done
# systemd-run needs the bus.
cp /lib/systemd/system/dbus.{socket,service} /run/units/
printf '[Unit]\nDescription=System Initialization\n' > /run/units/sysinit.target
# There is no journal.
for unit in stopwatch-web@ stopwatch-migrate stopwatch-dispatcher@; do
  mkdir "/run/units/$unit.service.d"
  printf '[Service]\nStandardOutput=append:/var/log/%%p.log\nStandardError=append:/var/log/%%p.log\n' \
    > "/run/units/$unit.service.d/log.conf"
done
for generators in system-generators system-environment-generators; do
  [ ! -d "/lib/systemd/$generators" ] || mount -t tmpfs tmpfs "/lib/systemd/$generators"
done
rm -rf /etc/systemd/system
mkdir -p /etc/systemd/system
# Credentials are mounted by a child process, from which they must reach this one.
mount --make-rshared /
exec env -i PATH="$PATH" container=docker SYSTEMD_UNIT_PATH=/etc/systemd/system:/run/units \
  /lib/systemd/systemd --system --unit=dbus.socket --log-target=null
