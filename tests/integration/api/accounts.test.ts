import { afterAll, beforeAll, expect, it } from "vitest";
import { createOrFindAccount } from "#db/queries/accounts/create.ts";
import { readRequestHashKey } from "#db/queries/fleet/instance-secrets.ts";
import { type Api, startApi } from "./api.ts";

let api: Api;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

it("many concurrent calls with one e-mail address create one account, with secrets for both environments", async () => {
  const { keyRing } = api.config;
  const found = await api.services.database.run(10_000, ({ db }) =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        createOrFindAccount(db, {
          email: "a@b.example",
          plan: "indie",
          keyRing,
          nowMs: Date.now(),
        }),
      ),
    ),
  );
  expect(found.filter((account) => account.created)).toHaveLength(1);
  expect(new Set(found.map((account) => account.id)).size).toBe(1);
  expect(found[0]).toMatchObject({ email: "a@b.example", plan: "indie" });
  expect(await api.sql`SELECT env FROM signing_secrets ORDER BY env`).toEqual([{ env: "live" }, { env: "test" }]);
});

it("an existing account keeps its plan, and the address of a deleted account can be used for a new one", async () => {
  const find = (plan: "free" | "indie") =>
    api.services.database.run(10_000, ({ db }) =>
      createOrFindAccount(db, { email: "c@d.example", plan, keyRing: api.config.keyRing, nowMs: Date.now() }),
    );
  const first = await find("free");
  expect(await find("indie")).toEqual({ ...first, created: false });
  await api.sql`UPDATE accounts SET status = 'deleted' WHERE id = ${first.id}`;
  expect(await find("indie")).toMatchObject({ created: true, plan: "indie" });
});

it("processes that start at once agree on the key of the request hash", async () => {
  const { keyRing } = api.config;
  const made = await api.services.database.run(10_000, ({ sql }) =>
    Promise.all(Array.from({ length: 10 }, () => readRequestHashKey(sql, keyRing))),
  );
  expect(new Set(made.map((key) => key.export().toString("hex"))).size).toBe(1);
});
