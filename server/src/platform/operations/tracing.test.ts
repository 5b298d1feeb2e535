import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { notifyAppointment } from '@roomside/contract/appointments/calls.ts';
import { listPatients } from '@roomside/contract/patients/calls.ts';
import { getTeleappointment } from '@roomside/contract/room/calls.ts';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase } from '../../../test/database.ts';
import { connectHub } from '../../../test/hub-client.ts';
import { startReceiver } from '../../../test/otlp-receiver.ts';
import { startServer } from '../../../test/server-process.ts';
import { type Person, password, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { type BuiltAppointment, buildAppointment, buildCompany, buildPatient, buildUser } from '../../demo/builders.ts';
import { batchOptions, samplerOf } from './span-settings.ts';
import { transactions } from './trace-channels.ts';
import { openTracing } from './tracing.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const names = { firstName: 'Canaryanne', lastName: 'Canaryson' };
const chatText = 'canary of the chat';
/** Every attribute that a span may have. */
const known: ReadonlySet<string> = new Set([
  'http.request.method',
  'http.route',
  'http.response.status_code',
  'db.system.name',
  'roomside.transaction.kind',
  'roomside.transaction.waited_ms',
  'roomside.refusal',
  'rpc.system',
  'rpc.service',
  'rpc.method',
  'roomside.is_stream',
  'messaging.destination.name',
  'roomside.job.attempt',
  'error.type',
]);
let receiver: Receiver;
let app: TestApp;
let staff: Person;
let patient: Person;
let appointment: BuiltAppointment;

/** Starts a server whose environment has these variables while it starts. */
async function startTraced(env: Record<string, string>): Promise<TestApp> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    return await startTestApp();
  } finally {
    vi.unstubAllEnvs();
  }
}

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTraced({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-token=abc',
    OTEL_SERVICE_NAME: 'clinic',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  });
  const { companyId } = await buildCompany(app.context);
  const user = await buildUser(app.context, { companyId, role: 'A', password });
  const { patientId } = await buildPatient(app.context, { companyId, ...names });
  appointment = await buildAppointment(app.context, { companyId, patientId, doctorId: user.userId });
  staff = await app.signIn({ email: user.email, password });
  patient = await app.signInPatient(appointment.accessCode);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => receiver.close());

const spansNamed = (name: string) => receiver.spans().filter((span) => span.name === name);

/** Waits until a span of the name has arrived, and returns the last. */
async function arrived(name: string) {
  await expect.poll(() => spansNamed(name).length).toBeGreaterThan(0);
  return spansNamed(name).at(-1) ?? expect.unreachable();
}

describe('spans', () => {
  test('resource and headers are those of the standard variables', async () => {
    await arrived('POST /api/auth/login');
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-collector-token': 'abc' } });
    expect(receiver.resources()[0]).toEqual({
      'service.name': 'clinic',
      'service.instance.id': expect.any(String),
      'deployment.environment.name': 'test',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.name': 'opentelemetry',
      'telemetry.sdk.version': expect.any(String),
    });
  });

  test('span of a request: has route template, method and status; its transaction is a child in the sender’s trace', async () => {
    const traceId = 'a'.repeat(32);
    const parent = 'b'.repeat(16);
    await patient.call(getTeleappointment, {
      params: { uid: appointment.appointmentUid },
      headers: { traceparent: `00-${traceId}-${parent}-01`, tracestate: 'canary=Canaryson' },
    });
    const request = await arrived('GET /api/teleappointments/:uid');
    expect(request).toMatchObject({ traceId, parentSpanId: parent, kind: 2 });
    expect(request.attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/api/teleappointments/:uid',
      'http.response.status_code': 200,
    });
    await expect.poll(() => receiver.spans().filter((span) => span.parentSpanId === request.spanId)).not.toEqual([]);
    const [child] = receiver.spans().filter((span) => span.parentSpanId === request.spanId);
    expect(child).toMatchObject({ traceId, name: 'transaction caller', kind: 3 });
    expect(child?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'roomside.transaction.kind': 'caller',
      'roomside.transaction.waited_ms': expect.any(Number),
    });
    expect(BigInt(child?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(child?.startTimeUnixNano ?? 0));
  });

  test('body that is parsed: the transaction belongs to the request; a refusal is its code and no error', async () => {
    const traceId = 'c'.repeat(32);
    const { status } = await staff.call(notifyAppointment, {
      params: { appointmentId: 999_999_999 },
      headers: { traceparent: `00-${traceId}-${'d'.repeat(16)}-01` },
    });
    expect(status).toBe(404);
    const inTrace = () => receiver.spans().filter((span) => span.traceId === traceId);
    await expect
      .poll(() => inTrace().map(({ name }) => name))
      .toContain('POST /api/appointments/:appointmentId/notify');
    const refused = inTrace().find(({ name }) => name === 'transaction caller');
    expect(refused?.attributes).toMatchObject({ 'roomside.refusal': 'not-found' });
    expect(inTrace().map(({ status: { code } }) => code)).toEqual(inTrace().map(() => 0));
  });

  test('sender that does not sample: nothing is sent of its request', async () => {
    const traceId = 'e'.repeat(32);
    await staff.call(listPatients, {
      query: { top: 10, skip: 0 },
      headers: { traceparent: `00-${traceId}-${'d'.repeat(16)}-00` },
    });
    await staff.call(listPatients, { query: { top: 10, skip: 0 } });
    await arrived('GET /api/patients');
    expect(receiver.spans().filter((span) => span.traceId === traceId)).toEqual([]);
  });

  test('span of a hub call: has hub, method and whether it failed', async () => {
    const hub = await connectHub(app, patient);
    await hub.subscribe(appointment.appointmentUid);
    await hub.sendText({ session: appointment.appointmentUid, payload: chatText, key: 'key-of-mine-1' });
    await expect(hub.subscribe('f'.repeat(32))).rejects.toThrow('not-found');
    const sent = await arrived('/messaging SendText');
    expect(sent).toMatchObject({ kind: 2, status: { code: 0 } });
    expect(sent.attributes).toEqual({
      'rpc.system': 'signalr',
      'rpc.service': '/messaging',
      'rpc.method': 'SendText',
      'roomside.is_stream': false,
    });
    await expect.poll(() => spansNamed('/messaging Subscribe').map(({ status }) => status.code)).toEqual([0, 2]);
  });

  test('span of a job: has queue and attempt, with its transactions', async () => {
    await staff.call(notifyAppointment, { params: { appointmentId: appointment.appointmentId } });
    const job = await arrived('job notification');
    expect(job).toMatchObject({ kind: 5 });
    expect(job.attributes).toMatchObject({ 'messaging.destination.name': 'notification', 'roomside.job.attempt': 1 });
    await expect
      .poll(() =>
        receiver
          .spans()
          .filter(({ parentSpanId }) => parentSpanId === job.spanId)
          .map(({ name }) => name),
      )
      .toContain('transaction job');
  });

  test('nothing of a person, no id, query or code is in the bytes', async () => {
    const { accessCode, appointmentUid } = appointment;
    await staff.call(listPatients, { query: { top: 10, skip: 0, filter: names.lastName } });
    await fetch(`${app.url}/api/appointments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${staff.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ notes: `${names.lastName} notes` }),
    });
    await fetch(`${app.url}/visit/${accessCode}?code=${accessCode}&name=${names.firstName}`);
    await fetch(`${app.url}/api/teleappointments/${accessCode}?access=${accessCode}`);
    const before = receiver.requests.length;
    await staff.call(listPatients, { query: { top: 1, skip: 0 } });
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(before);
    await expect.poll(() => spansNamed('GET').length).toBeGreaterThan(0);
    const everything = receiver.requests.map(({ text }) => text).join('\n');
    expect(everything).toContain('GET /api/patients');
    for (const canary of ['canary', accessCode, appointmentUid, 'f'.repeat(32), password, staff.token ?? '?'])
      expect(everything.toLowerCase()).not.toContain(canary.toLowerCase());
    // Every name is a template, and no other attributes exist.
    const spans = receiver.spans();
    for (const { name } of spans) expect(name).not.toMatch(/\d/);
    expect(
      [...new Set(spans.flatMap((span) => Object.keys(span.attributes)))].filter((key) => !known.has(key)),
    ).toEqual([]);
    expect(spansNamed('GET /ping')).toEqual([]);
  });

  test('collector that is down: requests work, and one warning says so', async () => {
    const other = await startTraced({
      // No server listens on this port.
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '50',
      OTEL_BSP_SCHEDULE_DELAY: '5',
    });
    const warnings = () => other.logged.filter((line) => line.includes('traces could not be sent')).length;
    const request = async () => expect((await fetch(`${other.url}/api/openapi.json`)).status).toBe(200);
    await request();
    await expect.poll(warnings).toBe(1);
    await request();
    await other.close();
    expect(warnings()).toBe(1);
  });
});

describe('off', () => {
  /** Starts a server process and returns the packages of OpenTelemetry that it resolves. */
  async function loadedWith(env: Record<string, string>): Promise<string[]> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'roomside-modules-'));
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'modules');
    const recorder = path.join(import.meta.dirname, '../../../test/record-modules.ts');
    const variables = { NODE_OPTIONS: `--import=${recorder}`, RECORD_MODULES: file, ...env };
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    const database = await createTestDatabase();
    const server = await startServer(database.application);
    await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(200);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  test('packages: are loaded with an endpoint only', async () => {
    expect(await loadedWith({})).toEqual([]);
    expect(await loadedWith({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/v1/traces` })).toContain(
      '@opentelemetry/sdk-trace',
    );
  });

  test.each<Record<string, string>>([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'TRUE' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
  ])('openTracing with %j: returns null', async (env) => {
    expect(await openTracing(env, { instanceId: 'one', log: app.context.log })).toBeNull();
  });

  test('a closed server does not measure transactions', async () => {
    const before = transactions.hasSubscribers;
    const other = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    await other.close();
    expect(before).toBe(true);
    await app.close();
    expect(transactions.hasSubscribers).toBe(false);
  });
});

describe('standard variables', () => {
  test.each([
    ['', '', 'ParentBased{root=AlwaysOnSampler'],
    ['unknown', '', 'ParentBased{root=AlwaysOnSampler'],
    ['always_on', '', 'AlwaysOnSampler'],
    ['always_off', '', 'AlwaysOffSampler'],
    ['traceidratio', '0.25', 'TraceIdRatioBased{0.25}'],
    ['traceidratio', '7', 'TraceIdRatioBased{1}'],
    ['parentbased_always_off', '', 'ParentBased{root=AlwaysOffSampler'],
    ['parentbased_traceidratio', '0.5', 'ParentBased{root=TraceIdRatioBased{0.5}'],
  ])('OTEL_TRACES_SAMPLER=%s, _ARG=%s: %s', (name, argument, expected) => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', name);
    vi.stubEnv('OTEL_TRACES_SAMPLER_ARG', argument);
    expect(samplerOf().toString().slice(0, expected.length)).toBe(expected);
  });

  test('OTEL_BSP_*: positive numbers are used', () => {
    vi.stubEnv('OTEL_BSP_MAX_QUEUE_SIZE', '10');
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '-1');
    expect(batchOptions()).toEqual({ maxQueueSize: 10 });
  });
});
