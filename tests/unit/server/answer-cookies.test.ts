import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { guardCookies, renewOnAnswer } from "#server/http/answer-cookies.ts";

const PUBLIC = "public, max-age=31536000, immutable";
const PAGE = "private, no-cache, no-store, max-age=0, must-revalidate";

function answer(headers: OutgoingHttpHeaders = {}) {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) response.setHeader(name, value);
  guardCookies(response);
  return response;
}

const headOf = (response: ServerResponse) => ({
  cacheControl: response.getHeader("cache-control"),
  cookies: [response.getHeader("set-cookie") ?? []].flat(),
});

describe("an answer that sets a cookie", () => {
  test.each([undefined, PUBLIC, "max-age=60", "no-cache", "private"])("is no-store, whatever it said: %s", (said) => {
    const response = answer({ "cache-control": said, "set-cookie": "a=1" });
    response.writeHead(200);
    expect(headOf(response)).toEqual({ cacheControl: "no-store", cookies: ["a=1"] });
  });

  test("is no-store also when cookie and lifetime are given with its head", () => {
    const given = { "Set-Cookie": ["a=1", "b=2"], "cache-control": PUBLIC };
    const object = answer();
    object.writeHead(200, "OK", given);
    expect(headOf(object)).toEqual({ cacheControl: "no-store", cookies: ["a=1", "b=2"] });
    const list = answer();
    list.writeHead(200, ["Set-Cookie", "a=1", "cache-control", PUBLIC, "set-cookie", "b=2"]);
    expect(headOf(list)).toEqual({ cacheControl: "no-store", cookies: ["a=1", "b=2"] });
    const unnamed = answer();
    unnamed.writeHead(200, undefined, given);
    expect(headOf(unnamed)).toEqual({ cacheControl: "no-store", cookies: ["a=1", "b=2"] });
    expect([object.statusMessage, object.statusCode]).toEqual(["OK", 200]);
  });

  test("is no-store also when its head is written by its first byte", () => {
    const response = answer({ "cache-control": PUBLIC, "set-cookie": "a=1" });
    response.end("x");
    expect(headOf(response).cacheControl).toBe("no-store");
  });

  test("keeps what it said when that contains no-store", () => {
    const response = answer({ "cache-control": PAGE, "set-cookie": "a=1" });
    response.writeHead(200);
    expect(headOf(response).cacheControl).toBe(PAGE);
  });

  test("loses the cookie when it is a 304, which changes what a cache keeps", () => {
    const response = answer({ "set-cookie": "a=1" });
    response.writeHead(304);
    expect(headOf(response)).toEqual({ cacheControl: undefined, cookies: [] });
  });
});

describe("the cookie of a renewed session", () => {
  const send = (headers: OutgoingHttpHeaders) => {
    const response = answer(headers);
    renewOnAnswer(response, "sw_session=t; Path=/");
    response.writeHead(200);
    return headOf(response).cookies;
  };

  test("is sent with an answer that no cache keeps", () => {
    expect(send({ "cache-control": PAGE, "set-cookie": "a=1" })).toEqual(["a=1", "sw_session=t; Path=/"]);
  });

  test.each([PUBLIC, "max-age=60", undefined])("is not sent with an answer that a cache may keep: %s", (said) => {
    expect(send({ "cache-control": said })).toEqual([]);
  });

  test("is not sent with an answer that sets or clears the cookie itself", () => {
    expect(send({ "cache-control": PAGE, "set-cookie": "sw_session=; Max-Age=0" })).toEqual(["sw_session=; Max-Age=0"]);
  });
});

test("an answer without cookies stays as it is", () => {
  const response = answer({ "cache-control": PUBLIC });
  response.writeHead(200, { etag: '"x"' });
  expect(headOf(response)).toEqual({ cacheControl: PUBLIC, cookies: [] });
  expect(response.getHeader("etag")).toBe('"x"');
});
