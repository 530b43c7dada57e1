import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { refuseTlsOverride } from "#config.ts";
import { createAuthority } from "#scripts/lab/certificates.ts";

afterEach(() => vi.unstubAllEnvs());

it("a process that refuses NODE_TLS_REJECT_UNAUTHORIZED verifies certificates in every connection it makes", async () => {
  const certificate = await (await createAuthority()).issue({ selfSigned: true });
  const server = createServer(certificate, (_, response) => response.end("ok"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const ask = () => fetch(`https://localhost:${(server.address() as AddressInfo).port}`);
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    expect(refuseTlsOverride()).toBe(true);
    await expect(ask()).rejects.toMatchObject({ cause: { code: "DEPTH_ZERO_SELF_SIGNED_CERT" } });
    expect(refuseTlsOverride()).toBe(false);
  } finally {
    server.close();
  }
});
