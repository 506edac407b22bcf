import { z } from "zod";

// The page's policy forbids code from text; zod would try, and each try is a reported violation.
z.config({ jitless: true });
