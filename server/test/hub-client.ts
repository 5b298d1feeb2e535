import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr';
import type { ChatText, DataMessage, PresentPeer, PushedMessage, Sender } from '@roomside/contract/room/messages.ts';
import { expect, onTestFinished } from 'vitest';
import type { Person, TestApp } from './test-app.ts';

export interface ReceivedMessage {
  message: PushedMessage;
  user: Sender;
}

/** Connects by the unmodified client, without automatic reconnect. The connection stops when the test ends. */
export async function connectHub(
  app: TestApp,
  person: Person,
  headers: Record<string, string> = {},
  { resumes = false }: { resumes?: boolean } = {},
) {
  const builder = new HubConnectionBuilder()
    .withUrl(`${app.url}/messaging`, { accessTokenFactory: () => person.token ?? '', headers })
    .configureLogging(LogLevel.None);
  if (resumes) builder.withStatefulReconnect();
  const connection = builder.build();
  const received: ReceivedMessage[] = [];
  let closed: Error | true | undefined;
  connection.on('Notify', (message: PushedMessage, user: Sender) => received.push({ message, user }));
  connection.onclose((error) => {
    closed = error ?? true;
  });
  await connection.start();
  onTestFinished(() => connection.stop());
  return {
    connection,
    received,
    types: () => received.map(({ message }) => message.type),
    closed: () => closed,
    subscribe: (session: string) => connection.invoke<PresentPeer[]>('Subscribe', session),
    unsubscribe: (session: string) => connection.invoke('Unsubscribe', session),
    sendData: (data: DataMessage) => connection.invoke('SendData', data),
    sendText: (text: ChatText) => connection.invoke<number>('SendText', text),
    /** Drops the connection without a close message, like a closed laptop. */
    dropConnection: () => {
      const { _socket } = (
        connection as unknown as { connection: { transport: { _webSocket: { _socket: { destroy(): void } } } } }
      ).connection.transport._webSocket;
      _socket.destroy();
    },
    /** Waits for a message of this type. Returns the first. */
    waitFor: async (type: number) => {
      await expect.poll(() => received.some(({ message }) => message.type === type), { timeout: 8000 }).toBe(true);
      return received.find(({ message }) => message.type === type) as ReceivedMessage;
    },
  };
}
