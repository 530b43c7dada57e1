import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes every response when its connection closes. When requests are pipelined, Node.js closes only the response whose
 * turn it is; the others would never release what their `close` listeners hold.
 */
export function closeWithConnection(socket: Socket, response: ServerResponse): void {
  let open = responses.get(socket);
  if (open === undefined) {
    const all = new Set<ServerResponse>();
    open = all;
    responses.set(socket, all);
    socket.once("close", () => {
      for (const one of all) close(one);
    });
  }
  open.add(response);
  const ofSocket = open;
  response.once("close", () => ofSocket.delete(response));
}

const responses = new WeakMap<Socket, Set<ServerResponse>>();

// As Node.js does it for the response whose turn it is.
function close(response: ServerResponse): void {
  if (response.closed) return;
  Object.assign(response, { destroyed: true, _closed: true });
  response.emit("close");
}
