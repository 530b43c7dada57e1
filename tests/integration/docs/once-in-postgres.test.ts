import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { generateSigningSecret } from "#domain/signing.ts";
import { type Once, receive, signDelivery } from "../../../sdk/src/receive.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { loadSample, samplesOf } from "../../helpers/doc-samples.ts";

/** The first sample of the page in a language. */
const sampleIn = (language: string) =>
  samplesOf("de-duplicate.md").find((one) => one.language === language)?.code ?? "";

let database: TestDatabase;
let sql: postgres.Sql;
/** The sample, loaded twice with connections of its own, as two processes do. */
let processes: { once: Once; sql: postgres.Sql }[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = postgres(database.url, { max: 1 });
  await sql.unsafe(sampleIn("sql"));
  const code = sampleIn("js").replace("process.env.DATABASE_URL", JSON.stringify(database.url));
  processes = await Promise.all(
    ["first", "second"].map((name) => loadSample<(typeof processes)[0]>(`${code}\nexport { sql }; // ${name}`)),
  );
});
afterAll(async () => {
  await Promise.all([sql, ...processes.map((one) => one.sql)].map((one) => one.end()));
  await database.drop();
});
beforeEach(() => sql`TRUNCATE stopwatch_deliveries`);

/** The results of twenty concurrent calls of begin, over both processes. */
async function beginAtOnce(id: string): Promise<string[]> {
  const calls = Array.from({ length: 20 }, (_, at) => processes[at % 2]?.once.begin(id));
  return (await Promise.all(calls)).map(String).toSorted();
}

describe("the once of docs/de-duplicate.md, in a real Postgres", () => {
  it("lets one of many concurrent calls begin, also over several processes", async () => {
    expect(await beginAtOnce("sch_1")).toEqual([...Array(19).fill("busy"), "new"]);
    expect(await processes[0]?.once.begin("sch_2")).toBe("new");
  });

  it("stays done after it has finished", async () => {
    await processes[0]?.once.begin("sch_1");
    await processes[0]?.once.finish("sch_1");
    await sql`UPDATE stopwatch_deliveries SET begun_at = now() - interval '2 minutes'`;
    expect(new Set(await beginAtOnce("sch_1"))).toEqual(new Set(["done"]));
  });

  it("is new again once it has failed, unless it was done", async () => {
    const [first, second] = processes;
    await first?.once.begin("sch_1");
    await first?.once.fail("sch_1");
    expect(await second?.once.begin("sch_1")).toBe("new");
    await second?.once.finish("sch_1");
    await first?.once.fail("sch_1");
    expect(await first?.once.begin("sch_1")).toBe("done");
  });

  it("lets one of many calls begin again a minute after a process that did not end", async () => {
    await processes[0]?.once.begin("sch_1");
    await sql`UPDATE stopwatch_deliveries SET begun_at = now() - interval '59 seconds'`;
    expect(await processes[1]?.once.begin("sch_1")).toBe("busy");
    await sql`UPDATE stopwatch_deliveries SET begun_at = now() - interval '61 seconds'`;
    expect(await beginAtOnce("sch_1")).toEqual([...Array(19).fill("busy"), "new"]);
  });

  it("runs a delivery once that two processes get at the same time", async () => {
    const secret = generateSigningSecret();
    const onDelivery = vi.fn();
    const headers = await signDelivery({ secret, body: "{}", scheduleId: "sch_1" });
    const handlers = processes.map(({ once }) => receive({ secrets: [secret], once, onDelivery }));
    const post = (at: number) =>
      handlers[at % 2]?.(new Request("https://example.com/hook", { method: "POST", headers, body: "{}" }));
    const statuses = (await Promise.all(Array.from({ length: 10 }, (_, at) => post(at)))).map((one) => one?.status);
    for (const status of statuses) expect([200, 503]).toContain(status);
    expect((await post(0))?.status).toBe(200);
    expect(onDelivery).toHaveBeenCalledOnce();
  });
});
