/** An address where nothing listens: a port that was free a moment ago. fetch refuses some fixed ports by their number. */
import { createServer, type AddressInfo } from 'node:net';

export async function deserted(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
