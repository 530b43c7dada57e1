import { describe, expect, it } from "vitest";
import { findCommands } from "#components/layout/commands.ts";
import { commandsOf, newScheduleHref } from "#components/layout/dashboard-commands.ts";

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
    expect(labels("zzz")).toEqual(["Schedules with “zzz” in the URL", "Attempts with “zzz” in the URL"]);
  });

  it("open a schedule by its id, in the environment of the page", () => {
    expect(findCommands(commands("test"), " sch_01abc ", newScheduleHref("test"))).toEqual([
      { group: "Search", label: "Open sch_01abc", href: "/schedules/sch_01abc?env=test" },
    ]);
  });
});
