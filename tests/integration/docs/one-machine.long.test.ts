// Guards: docs/one-machine.md, deploy/systemd/**, deploy/stopwatch.env
// Needs: systemd
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Receiver, startReceiver } from "#scripts/lab/receiver.ts";
import { freePort } from "#scripts/ports.ts";
import { makeCheckout, PROJECT, put } from "#tests/helpers/checkout.ts";
import { samplesOf } from "#tests/helpers/doc-samples.ts";
import { type OwnServer, startOwnServer } from "#tests/helpers/own-server.ts";
import { bootSystemd, canBootSystemd, type Systemd } from "#tests/helpers/systemd/systemd.ts";
import { waitFor } from "#tests/helpers/wait-for.ts";

/** The steps of the page, in its order. The database and the proxy are packages of the distribution, which this does not install. */
const [database = "", program = "", settings = "", units = "", key = "", proxy = "", upgrade = ""] = samplesOf(
  "one-machine.md",
)
  .filter(({ heading, language }) => heading === "Under systemd" && language === "sh")
  .map(({ code }) => code);

describe.skipIf(!canBootSystemd)("the steps of one-machine.md (as root on Linux with systemd)", () => {
  let checkout: Awaited<ReturnType<typeof makeCheckout>>;
  let server: OwnServer;
  let receiver: Receiver;
  let systemd: Systemd;
  let webPort: number;
  let web: string;
  let dispatcherPort: number;
  let dispatcher: string;
  /** Puts the packages of this folder in the place of `npm ci`. */
  let install: [string, string][];

  beforeAll(async () => {
    checkout = await makeCheckout();
    server = await startOwnServer();
    receiver = await startReceiver({ tls: false });
    systemd = await bootSystemd();
    dispatcherPort = await freePort();
    webPort = await freePort();
    web = `stopwatch-web@${webPort}.service`;
    dispatcher = `stopwatch-dispatcher@${dispatcherPort}.service`;
  });
  afterAll(async () => {
    await systemd?.stop();
    await receiver?.close();
    await server?.remove();
    await checkout?.remove();
  });

  const step = (code: string) => systemd.run("bash", "-c", `set -e; cd ${checkout.path}\n${code}`);
  const isReady = async (port: number | string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return answer?.ok === true;
  };

  const bothAreReady = () =>
    waitFor("both parts are ready", async () => (await isReady(webPort)) && isReady(dispatcherPort), 60_000).catch(
      async (error) => {
        throw new Error(await systemd.log(), { cause: error });
      },
    );

  it("lead from a checkout to a first delivery, with the whole sandbox", async () => {
    expect(database).toContain("createdb --owner=stopwatch stopwatch");
    expect(proxy).toContain("/opt/stopwatch/deploy/proxies/Caddyfile");
    const packages = `mkdir node_modules; mount --bind ${PROJECT}/node_modules node_modules`;
    // Whatever the shell of an operator has.
    const node = `export PATH=$PWD/node_modules/.bin:$PATH NODE_ENV=development`;
    install = [["npm ci", `${packages}\n${node}`]];
    await step(put(program, install));

    await step(put(settings, [["postgres://stopwatch@/stopwatch?host=/run/postgresql", server.url]]));
    await step(`echo 'DELIVERY_ALLOW=${receiver.origin}' >> /etc/stopwatch/stopwatch.env`);

    // Other tests may have the ports of the page.
    const otherPorts = `sed -i 's/@9464/@${dispatcherPort}/; s/@3000/@${webPort}/' /etc/systemd/system/stopwatch.target`;
    await step(put(units, [["systemctl daemon-reload", `${otherPorts}\nsystemctl daemon-reload`]]));
    await bothAreReady();
    expect(await systemd.run("systemd-analyze", "verify", "stopwatch.target")).toBe("");

    const { key: apiKey } = JSON.parse(await step(`cd /opt/stopwatch\n${key}`));
    const created = await fetch(`http://127.0.0.1:${webPort}/v1/schedules`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ targetUrl: `${receiver.origin}/first`, fireIn: "1s" }),
    });
    expect(created.status).toBe(201);
    await waitFor("the request arrives", () => receiver.requests.length > 0);
  });

  it("close everything to the processes but their own folder", async () => {
    const probe = (command: string) =>
      systemd
        .run(
          "systemd-run",
          "--quiet",
          "--pipe",
          "--wait",
          "--collect",
          "--unit=stopwatch-probe",
          "/bin/sh",
          "-c",
          command,
        )
        .then(
          () => "done",
          () => "refused",
        );
    expect(await probe("touch /var/lib/stopwatch/mine && rm /var/lib/stopwatch/mine && ls /opt/stopwatch/")).toBe(
      "done",
    );
    for (const command of [
      "touch /opt/stopwatch/mine",
      "touch /opt/stopwatch/.next/mine",
      "touch /etc/mine",
      "ls /etc/stopwatch",
      "ls /root",
      "ls /proc/1",
      "unshare --user true",
    ]) {
      expect([command, await probe(command)]).toEqual([command, "refused"]);
    }
  });

  it("start what was killed again", async () => {
    for (const unit of [web, dispatcher]) {
      await systemd.systemctl("kill", "--signal=KILL", "--kill-who=main", unit);
      await waitFor(`${unit} was started again`, async () => (await systemd.show(unit, "NRestarts")) === "1");
    }
    await bothAreReady();
  });

  it("bring a newer version, and stop in order", async () => {
    const secondPort = await freePort();
    const ports: [string, string][] = [3001, 3000, 3001].map((port) => [
      `stopwatch-web@${port}`,
      `stopwatch-web@${port === 3000 ? webPort : secondPort}`,
    ]);
    await step(put(upgrade, [...install, ...ports]));
    await bothAreReady();
    expect(await systemd.show(`stopwatch-web@${secondPort}`, "ActiveState")).toBe("inactive");
    expect((await systemd.run("readlink", "/opt/stopwatch")).trim()).toBe("/opt/stopwatch-0.2.0");
    await systemd.systemctl("stop", "stopwatch-*");
    for (const unit of [web, dispatcher]) {
      expect([unit, await systemd.show(unit, "Result"), await systemd.show(unit, "ExecMainStatus")]).toEqual([
        unit,
        "success",
        "0",
      ]);
    }
  });
});
