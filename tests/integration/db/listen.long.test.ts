// Guards: db/listen*.ts, patches/**
import postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { listen } from "#db/listen.ts";
import { type DatabaseProxy, startProxy } from "#scripts/lab/proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../helpers/database.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const NAME = "listen-test";

let database: TestDatabase;
let admin: postgres.Sql;
let proxy: DatabaseProxy;
let listener: { close: () => Promise<void> };
let begun: number;
let notices: string[];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = postgres(database.url, { max: 1, onnotice: () => {} });
});
beforeEach(async () => {
  proxy = await startProxy(Number(new URL(database.url).port));
  begun = 0;
  notices = [];
});
afterEach(async () => {
  await listener.close();
  await proxy.close();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

function start() {
  const url = new URL(database.url);
  url.port = String(proxy.port);
  listener = listen({
    url: url.href,
    name: NAME,
    channel: async () => "noted",
    onNotice: (payload) => notices.push(payload),
    onListening: () => {
      begun++;
    },
  });
}

/** Sends a notification and then the marker `last`. Returns what was reported up to the marker. */
async function reported(payload: string): Promise<string[]> {
  await admin`SELECT pg_notify('noted', ${payload}), pg_notify('noted', 'last')`;
  await waitFor("the last notification", () => notices.includes("last"));
  return notices;
}

describe.each(["reset", "accept and close"] as const)("when the database did not answer at first (%s)", (fault) => {
  it("listening begins once, and each notification is reported once, however many tries failed", async () => {
    proxy.set(fault);
    start();
    await waitFor("four tries failed", () => proxy.accepted() > 4);
    proxy.set("pass");
    await waitFor("listening began", () => begun > 0);
    expect(await reported("one")).toEqual(["one", "last"]);
    expect(begun).toBe(1);
  });
});

it("after its connection is lost, listening begins again, and each notification is reported once", async () => {
  start();
  for (const times of [1, 2, 3]) {
    await waitFor("listening began", () => begun === times);
    if (times < 3) {
      await admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = ${NAME}`;
    }
  }
  expect(await reported("one")).toEqual(["one", "last"]);
});
