import { AppError } from "#domain/errors.ts";
import { type RouteHandler, withEnvelope } from "../http/envelope.ts";
import { immutableReply } from "../http/immutable-reply.ts";
import { type Reply, temporaryRedirect } from "../http/reply.ts";
import { getServices } from "../services.ts";
import { type PackageFolder, readPackage, type ServedPackage } from "./read-package.ts";

/**
 * The route handler of `/<folder>/…`: the archive and the modules of a package. Their addresses have the id of the contents,
 * so what is at an address never changes. Addresses without it redirect. Throws NOT_FOUND.
 */
export function packageRoute(folder: PackageFolder): RouteHandler {
  return withEnvelope(async (request, context) => {
    const { path } = (await context.params) as { path: string[] };
    const served = await readPackage(folder, getServices().config.baseUrl);
    return findFile(request, folder, served, path.join("/"));
  });
}

/** The route handler of `/<folder>.tgz`, which redirects to the archive. */
export function packageRedirect(folder: PackageFolder): RouteHandler {
  return withEnvelope(async () => {
    const { id } = await readPackage(folder, getServices().config.baseUrl);
    return temporaryRedirect(`/${folder}/${id}.tgz`);
  });
}

function findFile(
  request: Request,
  folder: PackageFolder,
  { release, id, ...files }: ServedPackage,
  path: string,
): Reply {
  if (path === `${id}.tgz`) return immutableReply(request, { type: "application/gzip", content: files.tarball });
  if (path === `${release}.tgz`) return temporaryRedirect(`/${folder}/${id}.tgz`);
  const module = files.modules.get(path.replace(`${id}/`, ""));
  if (module !== undefined && path.startsWith(`${id}/`)) {
    return immutableReply(request, { type: typeOf(path), content: Buffer.from(module) });
  }
  if (module !== undefined && path.endsWith(".js")) return temporaryRedirect(`/${folder}/${id}/${path}`);
  throw new AppError("NOT_FOUND", `There is no such file. This installation serves /${folder}/${id}.tgz.`);
}

const typeOf = (path: string) => (path.endsWith(".js") ? "text/javascript; charset=utf-8" : "application/typescript");
