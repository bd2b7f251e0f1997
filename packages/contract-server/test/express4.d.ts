/** Express 4, an alias in package.json, with the types of version 5. */
declare module 'express4' {
  import express from 'express';
  export default express;
}
