import { beforeAll, expect, it } from "vitest";
import { serveHttp } from "#scripts/lab/http-server.ts";
import { describeForModels } from "#server/docs/llms.ts";
import { createDocs } from "../../../../cli/src/mcp/docs.ts";
import { searchDocs } from "../../../../cli/src/mcp/search-docs.ts";
import { readFullText } from "../../../../server/docs/full-text.ts";
import { DOC_PAGES, findDocPage } from "../../../../server/docs/pages.ts";
import { readDocPage } from "../../../../server/docs/read-page.ts";
import { connect } from "./connect.ts";

const PUBLIC = "https://stopwatch.example.com";
const requested: string[] = [];
let baseUrl: string;

beforeAll(async () => {
  const { origin, close } = await serveHttp(async ({ url = "" }, response) => {
    requested.push(url);
    const page = findDocPage(/^\/docs\/(.+)\.md$/.exec(url)?.[1] ?? "");
    if (url === "/llms.txt") response.end(describeForModels(PUBLIC));
    else if (url === "/llms-full.txt") response.end(await readFullText(PUBLIC));
    else if (page) response.end(await readDocPage(page, PUBLIC));
    else response.writeHead(404).end();
  });
  baseUrl = origin;
  return close;
});

it("lists every page of the installation as a resource, at the address that the client uses", async () => {
  const { client, close } = await connect({ options: { baseUrl } });
  const { resources } = await client.listResources();
  const pages = resources.filter(({ uri }) => uri.endsWith(".md"));
  expect(pages.map(({ uri }) => uri)).toEqual(DOC_PAGES.map(({ slug }) => `${baseUrl}/docs/${slug}.md`));
  expect(resources.map(({ uri }) => uri)).toContain(`${baseUrl}/llms.txt`);
  const { contents } = await client.readResource({ uri: `${baseUrl}/docs/times.md` });
  expect(contents).toEqual([
    { uri: `${baseUrl}/docs/times.md`, mimeType: "text/markdown", text: expect.stringMatching(/^# Times/) },
  ]);
  await close();
});

it("reads no address besides the documentation's", async () => {
  const docs = createDocs(baseUrl);
  requested.length = 0;
  for (const path of ["/v1/usage", "/docs/nothing.md", "/docs/../v1/usage.md", "/docs/times.md?x"]) {
    await expect(docs.read(`${baseUrl}${path}`)).rejects.toThrow("There is no such page");
  }
  await expect(docs.read("http://169.254.169.254/docs/times.md")).rejects.toThrow("There is no such page");
  expect(requested).toEqual(["/llms.txt"]);
});

it("finds the sections that say most about some words, and asks for the text of all pages once", async () => {
  const { call, close } = await connect({ options: { baseUrl } });
  requested.length = 0;
  const { text } = await call("search_docs", { query: "local time when clocks change" });
  expect(text.split("\n").slice(0, 2).join("\n")).toMatch(/^Times.* › .*\nhttp:\/\/127\.0\.0\.1:\d+\/docs\/times\.md$/);
  expect((await call("search_docs", { query: "signatures in python" })).text).toContain("/docs/signing.md");
  expect((await call("search_docs", { query: "qwertzuiop" })).text).toContain("No page has these words");
  expect(requested).toEqual(["/llms-full.txt"]);
  await close();
});

it("searches every page of the installation", async () => {
  const texts = await createDocs(baseUrl).readAll();
  expect(texts.map(({ url }) => url)).toEqual(DOC_PAGES.map(({ slug }) => `${baseUrl}/docs/${slug}.md`));
  for (const { title, text } of texts) expect(text).toContain(`# ${title}`);
});

it("takes a line that begins with # in a fence for no heading", () => {
  const text = "# Page\n\nIntro\n\n## First\n\n```sh\n## not a heading, apples\n```\n\n## Second\n\npears";
  expect(searchDocs([{ title: "Page", url: "u", text }], "apples", 5)).toEqual([
    { title: "Page › First", url: "u", text: "## First\n\n```sh\n## not a heading, apples\n```" },
  ]);
});
