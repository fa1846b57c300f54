import { parentPort } from 'node:worker_threads';
import { serve } from './serve';

const port = parentPort;
if (port)
  port.on(
    'message',
    serve(message => port.postMessage(message)),
  );
