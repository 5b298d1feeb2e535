/** A tensor: NHWC, or the shape of weights. */
interface Tensor {
  readonly shape: readonly number[];
  /** The values of a constant; undefined for what is computed. */
  readonly values: Float32Array | undefined;
}

/** An operation of the model. Inputs and output are indexes of tensors. */
export interface Operation {
  readonly kind: OperationKind;
  readonly inputs: readonly number[];
  readonly output: number;
  /** Of convolutions. */
  readonly stride: number;
}
export type OperationKind = (typeof kinds)[keyof typeof kinds] | 'upsample';

export interface Model {
  readonly tensors: readonly Tensor[];
  readonly operations: readonly Operation[];
  readonly input: number;
  readonly output: number;
}

/** The operations of TensorFlow Lite that the model has, by their code (tensorflow/lite/schema/schema.fbs). */
const kinds = {
  0: 'add',
  3: 'convolution',
  4: 'depthwise',
  6: 'dequantize',
  14: 'sigmoid',
  18: 'multiply',
  19: 'relu',
  23: 'resize',
  32: 'custom',
  40: 'mean',
  117: 'hard-swish',
} as const;
const float32 = 0;
const float16 = 1;

/**
 * Reads a model file of TensorFlow Lite, as far as the segmentation model needs it: one graph, constants of 16 or 32 bits.
 *
 * @throws Error for other models
 */
export function readModel(file: ArrayBuffer): Model {
  const reader = new Reader(file);
  const root = reader.tableAt(0);
  const codes = reader.tables(root, 1).map((code) => Math.max(reader.byte(code, 0), reader.int(code, 3)));
  const buffers = reader.tables(root, 4).map((buffer) => reader.bytes(buffer, 0));
  const [graph] = reader.tables(root, 2);
  if (graph === undefined) throw new Error('The model has no graph.');
  const tensors = reader.tables(graph, 0).map((tensor): Tensor & { halves: Uint16Array | undefined } => {
    const content = buffers[reader.int(tensor, 2)];
    const type = reader.byte(tensor, 1);
    const has = content !== undefined && content.byteLength > 0;
    return {
      shape: reader.ints(tensor, 0),
      values: has && type === float32 ? new Float32Array(content) : undefined,
      halves: has && type === float16 ? new Uint16Array(content) : undefined,
    };
  });
  const operations: Operation[] = [];
  const constants: (Float32Array | undefined)[] = tensors.map(({ values }) => values);
  for (const operator of reader.tables(graph, 3)) {
    const code = codes[reader.int(operator, 0)] ?? -1;
    const kind = kinds[code as keyof typeof kinds];
    const inputs = reader.ints(operator, 1);
    const [output = -1] = reader.ints(operator, 2);
    const [first = -1] = inputs;
    if (kind === undefined) throw new Error(`The model has an unknown operation, ${code}.`);
    if (kind === 'dequantize') constants[output] = tensors[first]?.halves && toFloats(tensors[first].halves);
    else {
      const options = reader.table(operator, 4);
      const stride = kind === 'convolution' || kind === 'depthwise' ? reader.int(options ?? 0, 1) : 1;
      // Its only custom operation: a transposed convolution with a bias.
      operations.push({ kind: kind === 'custom' ? 'upsample' : kind, inputs, output, stride });
    }
  }
  return {
    tensors: tensors.map(({ shape }, index) => ({ shape, values: constants[index] })),
    operations,
    input: reader.ints(graph, 1)[0] ?? -1,
    output: reader.ints(graph, 2)[0] ?? -1,
  };
}

/** IEEE 754 half precision. */
function toFloats(halves: Uint16Array): Float32Array {
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const [exponent, fraction] = [(half >> 10) & 0x1f, half & 0x3ff];
    if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
    return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
  });
}

/** Tables of a FlatBuffer. A table is the position where it begins; a field is its number in the schema. */
class Reader {
  readonly #view: DataView<ArrayBuffer>;

  constructor(file: ArrayBuffer) {
    this.#view = new DataView(file);
  }

  tableAt(position: number): number {
    return position + this.#view.getUint32(position, true);
  }

  table(table: number, field: number): number | undefined {
    const at = this.#field(table, field);
    return at === undefined ? undefined : this.tableAt(at);
  }

  int(table: number, field: number): number {
    const at = this.#field(table, field);
    return at === undefined ? 0 : this.#view.getInt32(at, true);
  }

  byte(table: number, field: number): number {
    const at = this.#field(table, field);
    return at === undefined ? 0 : this.#view.getInt8(at);
  }

  ints(table: number, field: number): number[] {
    return this.#items(table, field).map((at) => this.#view.getInt32(at, true));
  }

  tables(table: number, field: number): number[] {
    return this.#items(table, field).map((at) => this.tableAt(at));
  }

  /** A copy, since numbers in the file may not be aligned. */
  bytes(table: number, field: number): ArrayBuffer {
    const at = this.table(table, field);
    if (at === undefined) return new ArrayBuffer();
    return this.#view.buffer.slice(at + 4, at + 4 + this.#view.getUint32(at, true));
  }

  /** The positions of the items of a vector, of four bytes each. */
  #items(table: number, field: number): number[] {
    const at = this.table(table, field);
    if (at === undefined) return [];
    return Array.from({ length: this.#view.getUint32(at, true) }, (_, index) => at + 4 + 4 * index);
  }

  #field(table: number, field: number): number | undefined {
    const fields = table - this.#view.getInt32(table, true);
    const place = 4 + 2 * field;
    const offset = place < this.#view.getUint16(fields, true) ? this.#view.getUint16(fields + place, true) : 0;
    return offset === 0 ? undefined : table + offset;
  }
}
