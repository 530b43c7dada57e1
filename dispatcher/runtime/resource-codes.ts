const RESOURCES = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EAGAIN"]);

/** Whether an error of this code says that the process or the machine is out of files, sockets or memory. */
export const isResourceCode = (code: string | undefined): boolean => code !== undefined && RESOURCES.has(code);
