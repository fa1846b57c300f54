import { strict as assert } from 'node:assert';
import { mock } from 'node:test';
import { Cancelled, WorkerClient, type WorkerPort } from '../../../src/extension/workerClient';
import type { HostMessage, WorkerMessage } from '../../../src/protocol/workerMessages';
import { analyse } from '../../../src/worker/analyse';

const options = { features: [], machine: 'broadwell-ep-e5-2660v4', n: 10, c: 3, firstInvalidLine: null };
const report = analyse('', options);
const bytes = new Uint8Array([1]);

/** A worker that does only what the test says. */
class FakePort implements WorkerPort {
  readonly posted: HostMessage[] = [];
  terminated = false;
  private message: (message: unknown) => void = () => undefined;
  private failure: (reason: string) => void = () => undefined;

  post(message: HostMessage): void {
    this.posted.push(message);
  }
  onMessage(listener: (message: unknown) => void): void {
    this.message = listener;
  }
  onFailure(listener: (reason: string) => void): void {
    this.failure = listener;
  }
  terminate(): void {
    this.terminated = true;
  }
  send(message: WorkerMessage | Record<string, unknown>): void {
    this.message(message);
  }
  fail(reason: string): void {
    this.failure(reason);
  }
  /** Id of the request that was posted as number `index`. */
  id(index: number): number {
    const message = this.posted[index]!;
    return 'id' in message ? message.id : -1;
  }
}

/** Lets promises that are settled take effect. */
const settle = async (): Promise<void> => {
  for (let round = 0; round < 10; round++) await Promise.resolve();
};

describe('WorkerClient', () => {
  let ports: FakePort[];
  let log: string[];
  let client: WorkerClient;
  const nothing = (): void => undefined;
  const ask = (text: string, signal = new AbortController().signal) => client.analyse(text, options, signal);

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    ports = [];
    log = [];
    client = new WorkerClient(
      () => {
        ports.push(new FakePort());
        return Promise.resolve(ports.at(-1)!);
      },
      name => (name === 'tree-sitter-c.wasm' ? Promise.resolve(bytes) : Promise.reject(new Error('gone'))),
      line => log.push(line),
    );
  });
  afterEach(() => {
    client.dispose();
    mock.timers.reset();
  });

  it('starts one worker for many requests and gives each its own answer', async () => {
    const [first, second] = [ask('a'), ask('b')];
    await settle();
    assert.equal(ports.length, 1);
    const port = ports[0]!;
    port.send({ type: 'report', id: port.id(1), report: { ...report, cut: 'second' }, final: true });
    port.send({ type: 'report', id: port.id(0), report: { ...report, cut: 'first' }, final: true });
    assert.deepEqual([(await first).cut, (await second).cut], ['first', 'second']);
  });

  it('refuses a malformed answer, says so, and waits for a good one', async () => {
    const answer = ask('a');
    await settle();
    const port = ports[0]!;
    port.send({ type: 'report', id: port.id(0), report: { annotations: 1 }, final: true });
    port.send({ type: 'other' });
    assert.equal(log.length, 2);
    port.send({ type: 'report', id: port.id(0), report, final: true });
    assert.deepEqual(await answer, report);
  });

  it('rejects what is running when the worker crashes, and starts a new one for the next request', async () => {
    const lost = ask('a');
    await settle();
    ports[0]!.fail('out of memory');
    await assert.rejects(lost, /out of memory/);
    const next = ask('b');
    await settle();
    assert.equal(ports.length, 2);
    ports[1]!.send({ type: 'report', id: ports[1]!.id(0), report, final: true });
    assert.deepEqual(await next, report);
  });

  it('rejects when the worker does not start', async () => {
    const broken = new WorkerClient(
      () => Promise.reject(new Error('no worker here')),
      () => Promise.resolve(bytes),
      nothing,
    );
    await assert.rejects(
      broken.analyse('a', options, new AbortController().signal),
      /does not start.*no worker here/,
    );
  });

  it('cancels at once for the caller, and leaves a worker alone that confirms in time', async () => {
    const abort = new AbortController();
    const answer = ask('a', abort.signal);
    await settle();
    abort.abort();
    await assert.rejects(answer, Cancelled);
    await settle();
    const port = ports[0]!;
    assert.deepEqual(port.posted.at(-1), { type: 'cancel', id: port.id(0) });
    port.send({ type: 'cancelled', id: port.id(0) });
    mock.timers.tick(1000);
    assert.equal(port.terminated, false);
  });

  it('ends a worker that does not confirm within half a second, and repeats what else it had to do', async () => {
    const abort = new AbortController();
    const answer = ask('a', abort.signal);
    const other = ask('b');
    await settle();
    abort.abort();
    await assert.rejects(answer, Cancelled);
    await settle();
    mock.timers.tick(500);
    await settle();
    assert.equal(ports[0]!.terminated, true);
    assert.deepEqual(
      ports[1]!.posted.map(message => message.type === 'analyse' && message.text),
      ['b'],
    );
    ports[1]!.send({ type: 'report', id: ports[1]!.id(0), report, final: true });
    assert.deepEqual(await other, report);
  });

  it('passes on progress and the report by name, and ends with that of the code', async () => {
    const seen: unknown[] = [];
    const answer = client.analyse('a', options, new AbortController().signal, {
      progress: (...parts) => seen.push(parts),
      first: one => seen.push(one.cut),
    });
    await settle();
    const port = ports[0]!;
    port.send({ type: 'progress', id: port.id(0), done: 3, total: 9 });
    port.send({ type: 'report', id: port.id(0), report: { ...report, cut: 'by name' }, final: false });
    port.send({ type: 'report', id: port.id(0), report: { ...report, cut: 'code' }, final: true });
    assert.equal((await answer).cut, 'code');
    assert.deepEqual(seen, [[3, 9], 'by name']);
  });

  it('gives the worker the files it asks for, and says when one cannot be read', async () => {
    void ask('a').catch(nothing);
    await settle();
    const port = ports[0]!;
    for (const name of ['tree-sitter-c.wasm', 'web-tree-sitter.wasm', '../package.json'])
      port.send({ type: 'asset', id: null, name });
    await settle();
    assert.deepEqual(port.posted.slice(1), [
      { type: 'asset', name: 'tree-sitter-c.wasm', bytes },
      { type: 'asset', name: 'web-tree-sitter.wasm', bytes: null },
    ]);
  });

  it('ends the worker when it has long had nothing to do', async () => {
    const answer = ask('a');
    await settle();
    ports[0]!.send({ type: 'report', id: ports[0]!.id(0), report, final: true });
    await answer;
    mock.timers.tick(300_000);
    await settle();
    assert.equal(ports[0]!.terminated, true);
  });
});
