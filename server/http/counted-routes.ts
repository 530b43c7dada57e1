type CountedRoute = { method: string; path: string };

/**
 * Registers a route whose requests count towards a limit of the account that makes them. `path` is that of the contract or of
 * the page (`/v1/schedules/{id}`, `/schedules/[id]`).
 */
export function registerCountedRoute({ method, path }: CountedRoute): void {
  if (!/[{[]/.test(path)) {
    routes().exact.add(`${method} ${path}`);
    return;
  }
  const pattern = path.replace(/\{\w+\}|\[\w+\]/g, "[^/]+");
  routes().patterns.set(`${method} ${path}`, new RegExp(`^${method} ${pattern}$`));
}

/** Whether a request goes to such a route. Known once Next.js has loaded the route's module. */
export function isCountedRoute(method: string, target: string): boolean {
  const query = target.indexOf("?");
  const route = `${method === "HEAD" ? "GET" : method} ${query < 0 ? target : target.slice(0, query)}`;
  const { exact, patterns } = routes();
  return exact.has(route) || [...patterns.values()].some((pattern) => pattern.test(route));
}

type Routes = { exact: Set<string>; patterns: Map<string, RegExp> };

// On globalThis, since Next.js loads this module twice: in the routes' bundle and in that of instrumentation.ts.
function routes(): Routes {
  const shared = globalThis as { [ROUTES]?: Routes };
  shared[ROUTES] ??= { exact: new Set(), patterns: new Map() };
  return shared[ROUTES];
}

const ROUTES = Symbol.for("stopwatch.counted-routes");
