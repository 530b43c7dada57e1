"""Writes recurrences.json: what rules mean in zones whose clocks changed, by Python's zoneinfo and none of our code.

    python3 tests/vectors/recurrences.py > tests/vectors/recurrences.json

Times of day are resolved by PEP 495 (fold). Rules that follow elapsed time are found the other way round: by what the
clocks show at each quarter of an hour in UTC. With a
zone as argument it prints the instants. The years have passed, so that only a correction of history can change them.
"""

import calendar
import functools
import hashlib
import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

FROM, TO = datetime(1986, 1, 1), datetime(2026, 1, 1)
UTC = timezone.utc

ZONES = """Africa/Cairo Africa/Casablanca America/Havana America/Los_Angeles America/New_York America/Santiago
America/Sao_Paulo America/St_Johns Antarctica/Troll Asia/Amman Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Tehran
Australia/Lord_Howe Australia/Sydney Europe/Berlin Europe/Dublin Europe/Istanbul Europe/London Europe/Moscow
Pacific/Apia Pacific/Chatham""".split()

ANY_DAY = lambda day: True
SUNDAYS = lambda day: day.isoweekday() == 7
LAST_DAY = lambda day: day.day == calendar.monthrange(day.year, day.month)[1]
LAST_SUNDAY = lambda day: SUNDAYS(day) and (day + timedelta(days=7)).month != day.month

# Rules of every day have many instants: these zones, whose clocks change at different times of day, do for them.
DAILY_IN = "America/Havana America/New_York America/Santiago Asia/Tehran Australia/Lord_Howe Europe/Berlin".split()

# rule: (minutes, hours, days)
BY_TIME_OF_DAY = {
    "30 2 * * *": ([30], [2], ANY_DAY),
    "0 0 * * *": ([0], [0], ANY_DAY),
    "30 1 L * *": ([30], [1], LAST_DAY),
    "0,30 1-3 * * SUNL": ([0, 30], [1, 2, 3], LAST_SUNDAY),
}
# rule: (minutes, hours, Sundays alone)
BY_ELAPSED_TIME = {
    "45 0-3/1 * * 0": ([45], range(4), True),
}


def of_times_of_day(rule, zone, on_clock_change):
    minutes, hours, days = BY_TIME_OF_DAY[rule]
    found = set()
    day = FROM
    while day < TO:
        if days(day):
            for hour in hours:
                for minute in minutes:
                    instant = resolve(day.replace(hour=hour, minute=minute), zone, on_clock_change)
                    if instant is not None:
                        found.add(instant)
        day += timedelta(days=1)
    return sorted(found)


def resolve(local, zone, on_clock_change):
    first, second = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    exists = first.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local
    is_twice = exists and first.utcoffset() != second.utcoffset()
    if on_clock_change == "skip" and (is_twice or not exists):
        return None
    chosen = second if is_twice and on_clock_change == "second" else first
    return int(chosen.astimezone(UTC).timestamp())


def of_elapsed_time(zone):
    found = {rule: [] for rule in BY_ELAPSED_TIME}
    first, last = (int(at.replace(tzinfo=UTC).timestamp()) for at in (FROM, TO))
    for day in range(first - 2 * DAY, last + 2 * DAY, DAY):
        is_quiet = offset(day, zone) == offset(day + DAY, zone)
        for at in range(day, day + DAY, 900):
            local = at + offset(day if is_quiet else at, zone)
            minute, hour = local // 60 % 60, local // 3600 % 24
            for rule, (minutes, hours, sundays) in BY_ELAPSED_TIME.items():
                if minute in minutes and hour in hours and first <= local < last:
                    if not sundays or (local // DAY + 4) % 7 == 0:
                        found[rule].append(at)
    return found


@functools.lru_cache(4)
def offset(at, zone):
    return int(datetime.fromtimestamp(at, zone).utcoffset().total_seconds())


DAY = 86400


def all_of(zone):
    for rule in BY_TIME_OF_DAY:
        if rule.endswith("* * *") and zone.key not in DAILY_IN:
            continue
        by_choice = {choice: of_times_of_day(rule, zone, choice) for choice in ["first", "second", "skip"]}
        # Otherwise no change of the clocks meets these times of day.
        if by_choice["first"] != by_choice["skip"]:
            for choice, found in by_choice.items():
                yield rule, choice, found
    for rule, found in of_elapsed_time(zone).items():
        yield rule, "first", found


def main():
    rows = []
    for zone in sys.argv[1:] or ZONES:
        for rule, on_clock_change, found in all_of(ZoneInfo(zone)):
            text = "\n".join(map(str, found))
            if len(sys.argv) > 1:
                print(zone, rule, on_clock_change, text, sep="\n")
            rows.append([zone, rule, on_clock_change, len(found), hashlib.sha256(text.encode()).hexdigest()[:16]])
    if len(sys.argv) == 1:
        lines = ",\n".join("    " + json.dumps(row) for row in rows)
        print('{\n  "from": "%s",\n  "to": "%s",\n  "rows": [\n%s\n  ]\n}' % (FROM.date(), TO.date(), lines))


main()
