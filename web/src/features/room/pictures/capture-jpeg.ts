/** Share of quality of the JPEG. */
const quality = 0.92;
/** Timeout for the camera, and for the first frame; ms. */
const captureTimeoutMs = 4_000;

export class NoImage extends Error {
  override readonly name = 'NoImage';
}

/** What browsers have of the MediaStream Image Capture API; TypeScript has no types of it. */
interface ImageCapture {
  takePhoto(settings?: { imageWidth?: number; imageHeight?: number }): Promise<Blob>;
  getPhotoCapabilities(): Promise<{ imageWidth?: { max: number }; imageHeight?: { max: number } }>;
}
type ImageCaptureClass = new (track: MediaStreamTrack) => ImageCapture;

/**
 * Takes a picture with the camera of a track, at its full resolution where the browser can do that (W3C MediaStream Image Capture), else
 * of what the track shows. Returns a JPEG.
 *
 * @throws NoImage
 */
export async function captureJpeg(track: MediaStreamTrack): Promise<Blob> {
  const { ImageCapture } = globalThis as { ImageCapture?: ImageCaptureClass };
  const photo = ImageCapture && (await within(takePhoto(new ImageCapture(track))).catch(() => undefined));
  if (photo?.type === 'image/jpeg') return photo;
  return photo ? toJpeg(await createImageBitmap(photo)) : captureFrame(track);
}

async function takePhoto(camera: ImageCapture): Promise<Blob> {
  const { imageWidth, imageHeight } = await camera.getPhotoCapabilities();
  const isKnown = (imageWidth?.max ?? 0) > 0 && (imageHeight?.max ?? 0) > 0;
  return camera.takePhoto(isKnown ? { imageWidth: imageWidth?.max ?? 0, imageHeight: imageHeight?.max ?? 0 } : {});
}

/**
 * Returns what a track shows as a JPEG, at the size of the track.
 *
 * @throws NoImage
 */
export async function captureFrame(track: MediaStreamTrack): Promise<Blob> {
  const video = document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  video.srcObject = new MediaStream([track]);
  try {
    await within(
      new Promise<void>((resolve) => {
        if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(() => resolve());
        else (video as HTMLVideoElement).addEventListener('loadeddata', () => resolve(), { once: true });
        void video.play().catch(() => undefined);
      }),
    );
    return await toJpeg(video);
  } finally {
    video.srcObject = null;
  }
}

async function toJpeg(image: HTMLVideoElement | ImageBitmap): Promise<Blob> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] =
    image instanceof HTMLVideoElement ? [image.videoWidth, image.videoHeight] : [image.width, image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  const jpeg = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
  if (jpeg?.type !== 'image/jpeg') throw new NoImage();
  return jpeg;
}

/** @throws NoImage after {@link captureTimeoutMs} */
function within<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NoImage()), captureTimeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
