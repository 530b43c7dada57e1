import { describe, expect, it } from "vitest";
import { type Command, findCommands } from "#components/layout/commands.ts";
import { commandsOf, newScheduleHref } from "#components/layout/dashboard-commands.ts";
import { scheduleCommands } from "#components/schedules/schedule-commands.ts";
import { pastedScheduleId } from "#domain/pasted-schedule-id.ts";
import { actionProblems } from "#domain/schedule-actions.ts";

const ID = "sch_01m8chgg7be509426ksjfweax3";

const envLinks = { live: "/logs", test: "/logs?env=test" };
const commands = (env: "live" | "test", isAdmin = false) => commandsOf({ env, envLinks, isAdmin });
const labels = (typed: string, env: "live" | "test" = "live") =>
  findCommands(commands(env), typed, newScheduleHref(env)).map(({ label }) => label);

describe("the commands of the palette", () => {
  it("link to pages of the current environment, and offer to switch to the other one", () => {
    const found = commands("test");
    expect(found).toContainEqual({ group: "Go to", label: "Logs", href: "/logs?env=test" });
    expect(found).toContainEqual({ group: "Do", label: "Switch to live", href: "/logs" });
  });

  it("name the admin pages to administrators alone", () => {
    expect(commands("live").map(({ label }) => label)).not.toContain("Admin");
    expect(commands("live", true).map(({ label }) => label)).toContain("Admin");
  });

  it("match when every typed word occurs, in any case and order", () => {
    expect(labels("SET rel")).toContain("Relay settings");
    expect(labels("set rel")).not.toContain("API keys");
    expect(labels("zzz")).toEqual([
      "Schedules with “zzz” in the URL",
      "Attempts with “zzz” in the URL",
      "Documentation about “zzz”",
    ]);
  });

  it("open a schedule by its id, in the environment of the page, until it is known where it is", () => {
    const find = (found?: Command[]) => findCommands(commands("test"), ` ${ID} `, newScheduleHref("test"), found);
    expect(find()).toEqual([{ group: "Search", label: `Open ${ID}`, href: `/schedules/${ID}?env=test` }]);
    const found = { group: "Dead", label: "POST example.com", href: `/schedules/${ID}` };
    expect(find([found])).toEqual([found]);
    expect(find([])).toEqual([]);
  });

  it("that were found stand behind pages and acts, and before searches", () => {
    const found = { group: "Dead", label: "POST example.com/logs", href: `/schedules/${ID}` };
    const all = findCommands(commands("live"), "logs", newScheduleHref("live"), [found]);
    expect(all.map(({ group }) => group)).toEqual(["Go to", "Dead", "Search", "Search", "Search"]);
  });

  it("on a schedule are the acts that it allows now, and copying", () => {
    const problems = actionProblems({ status: "dead", claimDeadlineMs: null, isErased: false }, Date.now());
    const links = { fire: "/fire", reschedule: "/move", replay: "/replay", clone: "/clone", cancel: "/cancel" };
    expect(scheduleCommands({ id: ID, targetUrl: "https://example.com/", problems }, links)).toEqual([
      { group: "This schedule", label: "Replay this schedule", href: "/replay" },
      { group: "This schedule", label: "Clone this schedule", href: "/clone" },
      { group: "This schedule", label: "Copy the id of this schedule", copy: ID },
      { group: "This schedule", label: "Copy the URL of its target", copy: "https://example.com/" },
    ]);
  });
});

describe("a pasted schedule id", () => {
  it.each([
    ID,
    ID.toUpperCase().replace("SCH", "sch"),
    ID.slice(4),
    `https://stopwatch.example.com/schedules/${ID}?env=test`,
    `{"id":"${ID}"}`,
    `  ${ID},`,
  ])("is recognised in %s", (text) => {
    expect(pastedScheduleId(text)).toBe(ID);
  });

  it.each([ID.slice(0, -1), `${ID}0`, ID.replace("sch_", "op_"), ID.replace("sch_0", "sch_8"), "order-4711"])(
    "is not seen in %s",
    (text) => {
      expect(pastedScheduleId(text)).toBeNull();
    },
  );
});
