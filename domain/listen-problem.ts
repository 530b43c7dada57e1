/**
 * Why a process cannot listen, in one sentence with what to do. `setting` has the port, and `code` is the error of the
 * system or of the look-up of the host's name.
 */
export function describeListenProblem(
  where: { setting: string; host: string; port: number },
  code = "unknown",
): string {
  const { setting, host, port } = where;
  const place = `port ${port} on ${host}`;
  if (code === "EADDRINUSE") return `Another program listens on ${place}: stop it, or set ${setting} to another port.`;
  if (code === "EACCES") return `This user may not listen on ${place}: set ${setting} to a port from 1024.`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is no address of this machine: set HOST to one of its addresses, or to 0.0.0.0 for all of them.`;
  return `Nothing can listen on ${place} (${code}): see ${setting} and HOST.`;
}
