// Guards: db/client*.ts, db/driver.ts, server/http/**, server/routes/**, server/listen/**, domain/database-fault.ts
import { expect, it, onTestFinished } from "vitest";
import { createApiKey } from "#db/queries/accounts/api-keys.ts";
import { createOrFindAccount } from "#db/queries/accounts/create.ts";
import { openApiDocument } from "#server/reference/openapi.ts";
import { startServices } from "#server/services.ts";
import { startOwnServer } from "../../helpers/own-server.ts";
import { call, FUTURE, type Method, TARGET, testConfig } from "./api.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];

it("no operation answers 500 after the server of the database has become a standby, and a listener is told to come back", async () => {
  const server = await startOwnServer();
  onTestFinished(server.remove);
  const config = testConfig(server.url);
  const services = startServices(config);
  onTestFinished(services.close);
  const key = await services.database.run(10_000, async ({ db }) => {
    const owner = { email: "owner@example.com", plan: "indie", keyRing: config.keyRing, nowMs: Date.now() } as const;
    const { id } = await createOrFindAccount(db, owner);
    return (await createApiKey(db, { accountId: id, env: "test", name: "k" }, config.plans.indie)).key;
  });
  expect(await call("GET", "/v1/schedules", key)).toMatchObject({ status: 200 });

  await server.restartAsStandby();
  const statuses: Record<string, number> = {};
  for (const [path, operations] of Object.entries(openApiDocument("https://api.example.com").paths)) {
    for (const method of METHODS.filter((name) => name in operations)) {
      const one = path.replaceAll(/\{\w+\}/g, "sch_01h00000000000000000000000");
      const body = method === "get" || method === "delete" ? undefined : { targetUrl: TARGET, fireAt: FUTURE };
      const { status } = await call(method.toUpperCase() as Method, one, key, body);
      statuses[`${method} ${path}`] = status;
    }
  }
  expect(Object.entries(statuses).filter(([, status]) => status === 500)).toEqual([]);
  expect(statuses).toMatchObject({ "get /v1/schedules": 200, "post /v1/schedules": 503, "get /v1/listen": 503 });
});
