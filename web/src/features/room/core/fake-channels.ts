/** Test doubles for the data channels of two connections: real MessageChannels, with the buffer of an RTCDataChannel. */

type Data = string | ArrayBuffer;

class FakeDataChannel extends EventTarget {
  readyState: RTCDataChannelState = 'connecting';
  binaryType: BinaryType = 'arraybuffer';
  bufferedAmount = 0;
  bufferedAmountLowThreshold = 0;
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: Data }) => void) | null = null;
  onbufferedamountlow: (() => void) | null = null;
  #port: MessagePort | undefined;

  join(port: MessagePort): void {
    this.#port = port;
    port.onmessage = ({ data: { data, freed } }: MessageEvent<{ data?: Data; freed?: number }>) => {
      if (this.readyState !== 'open') return;
      if (freed !== undefined) return this.#free(freed);
      if (data === undefined) return;
      this.onmessage?.({ data });
      port.postMessage({ freed: sizeOf(data) });
    };
    this.readyState = 'open';
    queueMicrotask(() => this.onopen?.());
  }

  send(data: Data | Uint8Array): void {
    if (this.readyState !== 'open') throw new DOMException('The channel is not open.', 'InvalidStateError');
    const copy = typeof data === 'string' ? data : new Uint8Array(data).slice().buffer;
    this.bufferedAmount += sizeOf(copy);
    this.#port?.postMessage({ data: copy });
  }

  close(): void {
    if (this.readyState === 'closed') return;
    this.readyState = 'closed';
    this.#port?.close();
    queueMicrotask(() => this.onclose?.());
  }

  #free(bytes: number): void {
    const wasHigh = this.bufferedAmount > this.bufferedAmountLowThreshold;
    this.bufferedAmount -= bytes;
    if (wasHigh && this.bufferedAmount <= this.bufferedAmountLowThreshold) this.onbufferedamountlow?.();
  }
}

const sizeOf = (data: Data) => (typeof data === 'string' ? data.length : data.byteLength);

/** Two connections whose channels with the same id are joined. `cut` closes all of them. */
export function createConnectedPair(): [RTCPeerConnection, RTCPeerConnection, cut: () => void] {
  const halves = new Map<number, FakeDataChannel>();
  const all: FakeDataChannel[] = [];
  const end = () => ({
    createDataChannel(_label: string, { id = 0 }: RTCDataChannelInit = {}) {
      const channel = new FakeDataChannel();
      all.push(channel);
      const other = halves.get(id);
      if (other) {
        const { port1, port2 } = new MessageChannel();
        other.join(port1);
        channel.join(port2);
      } else halves.set(id, channel);
      return channel;
    },
  });
  const cut = () => {
    for (const channel of all) channel.close();
  };
  // Only createDataChannel is used.
  return [end() as unknown as RTCPeerConnection, end() as unknown as RTCPeerConnection, cut];
}
