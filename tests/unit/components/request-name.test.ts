import { expect, it } from "vitest";
import { requestName, requestNameInHistory } from "#components/format/request-name.ts";

it("a request is called by its method and URL without the scheme, cut when very long", () => {
  expect(requestName("POST", "https://api.example.com/jobs/settle?batch=4")).toBe(
    "POST api.example.com/jobs/settle?batch=4",
  );
  expect(requestName("GET", "http://example.com:8080/")).toBe("GET example.com:8080");
  expect(requestName("GET", `https://example.com/${"a".repeat(2_000)}`)).toHaveLength(201);
});

it("the title of a document has no query, which browsers would keep in their history", () => {
  expect(requestNameInHistory("POST", "https://api.example.com/in?token=secret#part")).toBe("POST api.example.com/in");
});
