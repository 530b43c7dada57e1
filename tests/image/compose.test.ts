import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

/** docker-compose of Debian, or the plugin of Docker. */
const compose = [["docker-compose"], ["docker", "compose"]].find(
  ([name = "", ...first]) => spawnSync(name, [...first, "version"]).status === 0,
);

it.skipIf(compose === undefined)(
  `compose.yaml is valid: PostgreSQL 18, a migration, two web parts and two dispatchers${compose ? "" : " (not run: apt-get install docker-compose)"}`,
  () => {
    const [name = "", ...first] = compose ?? [];
    const { status, stdout, stderr } = spawnSync(name, [...first, "config"], { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    for (const service of ["postgres", "migrate", "web", "web-2", "dispatcher"])
      expect(stdout).toMatch(new RegExp(`^  ${service}:$`, "m"));
    expect(stdout).toContain("image: postgres:18\n");
    expect(stdout).toContain("replicas: 2\n");
    expect(
      stdout.match(/condition: service_completed_successfully/g),
      "every part waits for the migration",
    ).toHaveLength(3);
    expect(stdout.match(/read_only: true/g)).toHaveLength(4);
    expect(stdout.match(/DATABASE_OWNER_URL_FILE/g), "the migration alone knows the owner").toHaveLength(1);
    expect(stdout.match(/stop_grace_period: (?:60s|1m0s)/g)).toHaveLength(5);
  },
);
