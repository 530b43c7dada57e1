import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const page = readFileSync("docs/receivers.md", "utf8");

/** The file of each tab of the page. */
const FILES = {
  "Next.js": "nextjs/app/hook/route.ts",
  Hono: "hono/server.ts",
  Express: "express/server.ts",
  Fastify: "fastify/server.ts",
  "Cloudflare Worker": "cloudflare-worker/worker.ts",
  Python: "python/receiver.py",
  Go: "go/receiver.go",
  PHP: "php/receiver.php",
  Ruby: "ruby/receiver.rb",
};

it.each(Object.entries(FILES))("docs/receivers.md shows %s as the example is, to the letter", (title, file) => {
  const [, code] = new RegExp(`^\`\`\`\\w+ ${title}\n(.*?\n)\`\`\`$`, "ms").exec(page) ?? [];
  expect(code).toBe(readFileSync(`examples/${file}`, "utf8"));
});
