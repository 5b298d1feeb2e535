import { messageType } from '@roomside/contract/room/messages.ts';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectHub } from '../../../test/hub-client.ts';
import { openStaysOf, openVisit, rowOf } from '../../../test/open-visit.ts';
import { type Person, startTestApp } from '../../../test/test-app.ts';
import type { BuiltAppointment } from '../../demo/builders.ts';

const app = await startTestApp();
const { clock } = app;
const owner = new pg.Client(app.database.owner);
await owner.connect();
afterAll(() => owner.end());

let visit: BuiltAppointment;
let doctor: Person;
let admin: Person;
let patient: Person;
let uid: string;

beforeEach(async () => {
  ({ visit, uid, doctor, admin, patient } = await openVisit(app));
});

const row = () => rowOf(admin, visit);
const openStays = () => openStaysOf(owner, visit);

/** Everything that repeats, the retries and the sweep among it, runs now. */
const repeatNow = () => clock.set(clock.now());

/** The database fails whoever changes a stay of this visit, until the answer is called. */
async function failStays(): Promise<() => Promise<void>> {
  await owner.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise exception 'The disk is full.'; end $$;
    create trigger fail before update on peers for each row
      when (old.appointment_id = ${visit.appointmentId}) execute function fail()`);
  let failing = true;
  const stop = async () => {
    if (failing) await owner.query('drop function fail cascade');
    failing = false;
  };
  onTestFinished(stop);
  return stop;
}

describe('with the database away for a moment', () => {
  test('whoever leaves is seen off as soon as it is back', async () => {
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    await there.subscribe(uid);
    await own.subscribe(uid);
    const mend = await failStays();
    await own.unsubscribe(uid);
    expect((await row())?.providerPresent).not.toBeNull();
    await mend();
    repeatNow();
    await there.hears(messageType.userLeft);
    expect(await openStays()).toHaveLength(1);
    expect((await row())?.providerPresent).toBeNull();
  });

  test('whoever left and came back on the same connection meanwhile stays', async () => {
    const own = await connectHub(app, doctor);
    const there = await connectHub(app, patient);
    await there.subscribe(uid);
    await own.subscribe(uid);
    const mend = await failStays();
    await own.unsubscribe(uid);
    await mend();
    await own.subscribe(uid);
    repeatNow();
    await row();
    await there.sendData({ type: 4, session: uid });
    await own.hears(4);
    expect(await openStays()).toHaveLength(2);
    expect(there.types()).not.toContain(messageType.userLeft);
  });

  test('whose line breaks is told of and noted all the same', async () => {
    const there = await connectHub(app, patient);
    const own = await connectHub(app, doctor);
    await there.subscribe(uid);
    await own.subscribe(uid);
    const mend = await failStays();
    const logged = app.logged.length;
    own.cut();
    const complains = () => app.logged.slice(logged).some((line) => line.includes('could not be seen off'));
    await expect.poll(complains, { timeout: 8_000 }).toBe(true);
    await mend();
    repeatNow();
    await expect.poll(openStays).toHaveLength(1);
    expect(there.types()).not.toContain(messageType.userLeft);
    // The grace is over.
    clock.set(clock.now() + 5_000);
    await there.hears(messageType.userLeft);
    expect((await row())?.providerPresent).toBeNull();
  });

  test('an ended visit has no patient left in it, on whichever device', async () => {
    const phone = await connectHub(app, patient);
    const laptop = await connectHub(app, await app.signInPatient(visit.accessCode));
    const own = await connectHub(app, doctor);
    for (const one of [phone, laptop, own]) await one.subscribe(uid);
    const mend = await failStays();
    await own.sendData({ type: 3, session: uid });
    await phone.hears(3);
    for (const one of [phone, laptop])
      await expect(one.sendText({ session: uid, payload: 'Still here?', key: 'key-12345' })).rejects.toThrow(
        'not-found',
      );
    await mend();
    repeatNow();
    await expect.poll(openStays, { timeout: 8_000 }).toHaveLength(1);
    expect((await row())?.patientPresent).toBeNull();
  });

  test('a hello is heard in the room; said again, it is announced, once', async () => {
    const front = await connectHub(app, admin);
    const own = await connectHub(app, doctor);
    const there = await connectHub(app, patient);
    await own.subscribe(uid);
    await there.subscribe(uid);
    const hello = { type: messageType.participantArrived, session: uid, payload: { hello: 'page-1' } };
    const mend = await failStays();
    await expect(there.sendData(hello)).rejects.toThrow('SendData');
    await own.hears(messageType.participantArrived);
    expect(front.types()).not.toContain(messageType.patientArrived);
    await mend();
    await there.sendData(hello);
    await there.sendData(hello);
    await front.hears(messageType.patientArrived);
    expect(own.types().filter((type) => type === messageType.participantArrived)).toHaveLength(3);
    expect(front.types().filter((type) => type === messageType.patientArrived)).toHaveLength(1);
  });
});
