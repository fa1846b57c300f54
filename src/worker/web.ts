import { serve } from './serve';

/** The worker's own scope: the DOM types know only that of a page. */
const scope = globalThis as unknown as {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void;
};

const receive = serve(message => scope.postMessage(message));
scope.addEventListener('message', event => receive(event.data));
