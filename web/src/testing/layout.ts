/** jsdom has no layout, and no method that depends on it. */
Element.prototype.scrollIntoView = () => undefined;
