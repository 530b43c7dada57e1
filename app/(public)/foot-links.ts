/** Where the foot of a public page leads. */
export const FOOT_LINKS = [
  { href: "/status", label: "Status" },
  { href: "/v1/openapi.json", label: "openapi.json" },
  { href: "/llms.txt", label: "llms.txt" },
];
