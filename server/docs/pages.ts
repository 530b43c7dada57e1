/** One page of the documentation: a file of docs/; `slug` is the last segment of its URL. */
export type DocPage = { slug: string; title: string; file: string; description: string };

const OPERATE = "Operate";

/** The pages by the group that the navigation shows them in. */
export const DOC_GROUPS: readonly { title: string; pages: readonly DocPage[] }[] = [
  {
    title: "Start",
    pages: [
      {
        slug: "quickstart",
        title: "Quickstart",
        file: "quickstart.md",
        description: "From an API key to the first request, and how late it was.",
      },
      {
        slug: "sdk",
        title: "SDK",
        file: "sdk.md",
        description: "For JavaScript and TypeScript: install, errors, retries, bulk, pages, receiving, testing.",
      },
      {
        slug: "testing",
        title: "Testing",
        file: "testing.md",
        description: "The service in memory, with a clock that your tests move.",
      },
    ],
  },
  {
    title: "Send",
    pages: [
      {
        slug: "times",
        title: "Times",
        file: "times.md",
        description: "Instants, durations and local times, and what happens when clocks change.",
      },
      {
        slug: "states",
        title: "States",
        file: "states.md",
        description: "The states of a schedule, cancel and reschedule, and what at least once means.",
      },
      {
        slug: "retries",
        title: "Retries",
        file: "retries.md",
        description: "When a failed request is sent again, and how a target decides.",
      },
      { slug: "limits", title: "Limits", file: "limits.md", description: "Limits by plan, and those for everyone." },
    ],
  },
  {
    title: "Receive",
    pages: [
      {
        slug: "signatures",
        title: "Signatures",
        file: "signing.md",
        description: "How a receiver checks that a request is from here.",
      },
    ],
  },
  {
    title: OPERATE,
    pages: [
      {
        slug: "self-hosting",
        title: "Self-hosting",
        file: "self-hosting.md",
        description: "Which way to run it, and what to read next.",
      },
      {
        slug: "one-machine",
        title: "One machine",
        file: "one-machine.md",
        description: "npm ci and npm start, and a copy of its data.",
      },
      {
        slug: "containers",
        title: "Containers",
        file: "containers.md",
        description: "Each process in a container of its own.",
      },
      {
        slug: "vercel",
        title: "Vercel",
        file: "vercel.md",
        description: "The web part on Vercel, the dispatcher elsewhere.",
      },
      {
        slug: "own-database",
        title: "Your own PostgreSQL",
        file: "own-database.md",
        description: "Address, roles, extensions, poolers, connections.",
      },
      {
        slug: "settings",
        title: "Settings",
        file: "settings.md",
        description: "All settings, the proxy in front, targets, e-mail.",
      },
      { slug: "people", title: "People", file: "people.md", description: "Who may sign in, how, and for how long." },
      {
        slug: "operations",
        title: "Operations",
        file: "operations.md",
        description: "Monitoring, restoring a backup, plans, the encryption key.",
      },
      {
        slug: "data",
        title: "Data and retention",
        file: "data.md",
        description: "What is kept, where, and for how long.",
      },
      { slug: "upgrades", title: "Upgrades", file: "upgrades.md", description: "A new version while it runs." },
      { slug: "scaling", title: "Scaling", file: "scaling.md", description: "How many processes, and what they need." },
    ],
  },
  {
    title: "Reference",
    pages: [{ slug: "errors", title: "Errors", file: "errors.md", description: "Every error code and what to do." }],
  },
];

/** Every page, in the order of the navigation. */
export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

/** Whether a page is for those who run an installation. */
export function isForOperators(page: DocPage): boolean {
  return DOC_GROUPS.some(({ title, pages }) => title === OPERATE && pages.includes(page));
}

/** Where a page is on this site. The first one is the start page. */
export function docHref({ slug }: DocPage): string {
  return slug === "quickstart" ? "/docs" : `/docs/${slug}`;
}

/** The reference of the API with the operations alone that take an API key. */
export const FOR_KEY_HREF = "/docs/api?for=key";

/** Where the Markdown of a page is on this site. */
export function docMarkdownHref({ slug }: DocPage): string {
  return `/docs/markdown/${slug}`;
}

/** The URL on this site of a link within docs/; null when this site does not serve that file. */
export function linkFromDoc(href: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [file, anchor] = href.split("#");
  const page = DOC_PAGES.find((one) => one.file === file);
  if (page === undefined) return null;
  return anchor === undefined ? docHref(page) : `${docHref(page)}#${anchor}`;
}
