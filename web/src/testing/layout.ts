// jsdom has no layout, and no method that depends on it. Some files are tested without jsdom.
if ('Element' in globalThis) Element.prototype.scrollIntoView = () => undefined;
