import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyIdToken } from "#server/auth/id-token.ts";

const CLIENT = "our-client";
const now = () => Math.floor(Date.now() / 1000);

let server: Server;
let issuer: string;
let privateKey: KeyObject;

beforeAll(async () => {
  const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
  privateKey = pair.privateKey;
  const keys = [{ ...pair.publicKey.export({ format: "jwk" }), kid: "one", use: "sig" }];
  server = createServer(({ url }, response) => {
    const endpoint = (name: string) => `${issuer}/${name}`;
    const document = {
      issuer,
      authorization_endpoint: endpoint("authorize"),
      token_endpoint: endpoint("token"),
      userinfo_endpoint: endpoint("userinfo"),
      jwks_uri: endpoint("keys"),
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(url === "/keys" ? { keys } : document));
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((closed) => server.close(closed)));

/** Verifies an ID token that the issuer has signed, with these claims beside or in place of the usual ones. */
function verified(claims: object, head: object = {}) {
  const usual = { iss: issuer, aud: CLIENT, sub: "ada", iat: now(), exp: now() + 300 };
  const signed = new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg: "RS256", kid: "one", ...head });
  return signed.sign(privateKey).then((idToken) => verifyIdToken(idToken, { issuer, clientId: CLIENT }));
}

describe("an ID token that the issuer has signed", () => {
  it.each([
    ["with the usual claims", {}],
    ["for several audiences, ours among them", { aud: ["another-client", CLIENT] }],
    ["that expired within the difference of two clocks", { exp: now() - 5 }],
  ])("is accepted %s", async (_, claims) => {
    expect(await verified(claims)).toMatchObject({ sub: "ada" });
  });

  it.each<[string, object, object?]>([
    ["for another client", { aud: "another-client" }],
    ["for a client whose name begins like ours", { aud: `${CLIENT}-2` }],
    ["for nobody", { aud: undefined }],
    ["in the name of another issuer", { iss: "https://accounts.google.com" }],
    ["in nobody's name", { iss: undefined }],
    ["that has expired", { exp: now() - 120 }],
    ["that never expires", { exp: undefined }],
    ["that is not valid yet", { nbf: now() + 120 }],
    ["about nobody", { sub: undefined }],
    ["with the id of a key that it does not publish", {}, { kid: "two" }],
  ])("is refused %s", async (_, claims, head) => {
    await expect(verified(claims, head)).rejects.toThrow();
  });
});
