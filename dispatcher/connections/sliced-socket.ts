import net from "node:net";
import { CONNECTIONS } from "../tuning/connections.ts";

/** The event in which such a socket passes on what it has read. */
export const SLICE = "slice";

/**
 * As `net.connect`, for a socket that reads slices, into one buffer of its own. Node.js would allocate 64 KiB for each read, and
 * pass what it has read through the queue of the socket.
 */
export function connectSliced(options: net.TcpNetConnectOpts): net.Socket {
  const buffer = Buffer.allocUnsafeSlow(CONNECTIONS.sliceBytes);
  const callback = (bytes: number): boolean => socket.emit(SLICE, Buffer.from(buffer.subarray(0, bytes)));
  const socket: net.Socket = net.connect({ ...options, onread: { buffer, callback } });
  return socket;
}
